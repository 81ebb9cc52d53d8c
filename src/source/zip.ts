import { inflateRawSync } from "node:zlib";
import { RepositoryFault } from "../errors.ts";
import type { TreeEntry } from "./write-tree.ts";

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LINK_MODE = 0o120000;

/**
 * The files of a zip archive, by its central directory. Archives over 4 GB, encrypted entries and methods other than
 * stored and deflated are refused; links are left out.
 * @throws {RepositoryFault} it is no such archive.
 */
export function* readZip(archive: Buffer): Generator<TreeEntry> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || archive.readUInt32LE(end) !== END_OF_DIRECTORY) throw broken("it has no directory");
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (at + 46 > archive.length || archive.readUInt32LE(at) !== DIRECTORY_ENTRY)
      throw broken("its directory is broken");
    const nameLength = archive.readUInt16LE(at + 28);
    const path = archive.toString("utf8", at + 46, at + 46 + nameLength);
    const mode = archive.readUInt32LE(at + 38) >>> 16;
    if ((mode & 0o170000) === LINK_MODE) yield { is: "left-out", path, reason: "unsafe-path" };
    else if (!path.endsWith("/")) {
      const sizeBytes = archive.readUInt32LE(at + 24);
      const member = {
        flags: archive.readUInt16LE(at + 8),
        method: archive.readUInt16LE(at + 10),
        packedBytes: archive.readUInt32LE(at + 20),
        offset: archive.readUInt32LE(at + 42),
      };
      const read = async () => unpack(archive, member, sizeBytes);
      yield { is: "file", path, executable: (mode & 0o111) !== 0, sizeBytes, read };
    }
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
}

interface Member {
  flags: number;
  method: number;
  packedBytes: number;
  offset: number;
}

function unpack(archive: Buffer, { flags, method, packedBytes, offset }: Member, sizeBytes: number): Buffer {
  if ((flags & 1) !== 0 || offset + 30 > archive.length) throw broken("a member cannot be read");
  const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
  const packed = archive.subarray(start, start + packedBytes);
  if (method === 0 && packedBytes === sizeBytes) return packed;
  if (method !== 8) throw broken("a member is not packed in a way that is known");
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, sizeBytes) });
  } catch (cause) {
    throw broken("a member cannot be unpacked", cause);
  }
}

function broken(what: string, cause?: unknown): RepositoryFault {
  return new RepositoryFault(`the source distribution cannot be unpacked: ${what}`, { retryable: false, cause });
}
