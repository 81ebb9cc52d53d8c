/** The first and the last bytes of a stream, in bounded memory. */
export interface Capture {
  /** Bytes written so far, kept or not. */
  readonly bytes: number;
  write(chunk: Uint8Array): void;
  /** What was kept, as UTF-8 with bytes that are not replaced; a line between the halves counts what was left out. */
  text(): string;
}

/** Keeps everything up to `limitBytes`, and beyond that the first half and the last half of so many bytes. */
export function createCapture(limitBytes: number): Capture {
  const head = Buffer.allocUnsafe(Math.ceil(limitBytes / 2));
  const tail = Buffer.allocUnsafe(Math.floor(limitBytes / 2));
  let bytes = 0;

  return {
    get bytes() {
      return bytes;
    },
    write(chunk) {
      const toHead = chunk.subarray(0, Math.max(0, head.length - bytes));
      head.set(toHead, Math.min(bytes, head.length));
      bytes += chunk.length;
      const toTail = chunk.subarray(Math.max(toHead.length, chunk.length - tail.length));
      writeBefore(tail, bytes - head.length, toTail);
    },
    text() {
      const inHead = head.subarray(0, Math.min(bytes, head.length));
      const inTail = unrolled(tail, bytes - inHead.length);
      const leftOut = bytes - inHead.length - inTail.length;
      return leftOut === 0
        ? Buffer.concat([inHead, inTail]).toString("utf8")
        : `${inHead.toString("utf8")}\n[${leftOut} bytes left out]\n${inTail.toString("utf8")}`;
    },
  };
}

/** Puts `chunk` into a ring so that it ends at stream position `end`. */
function writeBefore(ring: Buffer, end: number, chunk: Uint8Array): void {
  if (chunk.length === 0) return;
  const start = (end - chunk.length) % ring.length;
  const untilWrap = chunk.subarray(0, ring.length - start);
  ring.set(untilWrap, start);
  ring.set(chunk.subarray(untilWrap.length), 0);
}

/** The last bytes of a stream of `written` bytes, in order. */
function unrolled(ring: Buffer, written: number): Buffer {
  if (written <= ring.length) return ring.subarray(0, written);
  const oldest = written % ring.length;
  return Buffer.concat([ring.subarray(oldest), ring.subarray(0, oldest)]);
}
