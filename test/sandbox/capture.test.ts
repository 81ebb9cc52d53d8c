import { describe, expect, it } from "vitest";
import { createCapture } from "../../src/sandbox/capture.ts";

/** What is kept of `chunks`, and how many bytes were counted. */
function capture(limitBytes: number, chunks: string[]): [text: string, bytes: number] {
  const captured = createCapture(limitBytes);
  for (const chunk of chunks) captured.write(Buffer.from(chunk));
  return [captured.text(), captured.bytes];
}

describe("createCapture", () => {
  it("keeps all of what fits, however it is cut up", () => {
    expect(capture(10, [])).toEqual(["", 0]);
    expect(capture(10, ["0123456789"])).toEqual(["0123456789", 10]);
    expect(capture(10, [..."0123456789"])).toEqual(["0123456789", 10]);
    expect(capture(10, ["012", "3456", "7"])).toEqual(["01234567", 8]);
  });

  it("keeps the first and the last half of what does not", () => {
    const kept = "01234\n[16 bytes left out]\nvwxyz";
    const text = "0123456789abcdefghijkvwxyz";

    expect(capture(10, [text])).toEqual([kept, 26]);
    expect(capture(10, [...text])).toEqual([kept, 26]);
    expect(capture(10, [text.slice(0, 4), text.slice(4, 23), text.slice(23)])).toEqual([kept, 26]);
  });

  it("takes any limit", () => {
    expect(capture(0, ["abc"])).toEqual(["\n[3 bytes left out]\n", 3]);
    expect(capture(1, ["abc"])).toEqual(["a\n[2 bytes left out]\n", 3]);
    expect(capture(3, ["abcd", "ef"])).toEqual(["ab\n[3 bytes left out]\nf", 6]);
  });

  it("agrees with cutting the whole, for any pieces", () => {
    const text = Array.from({ length: 97 }, (_, index) => String.fromCharCode(33 + (index % 90))).join("");
    for (const size of [1, 2, 3, 7, 13, 50, 96]) {
      const pieces = text.match(new RegExp(`.{1,${size}}`, "g")) ?? [];

      expect(capture(20, pieces)).toEqual([`${text.slice(0, 10)}\n[77 bytes left out]\n${text.slice(-10)}`, 97]);
    }
  });

  it("replaces what is not UTF-8", () => {
    const captured = createCapture(10);
    captured.write(new Uint8Array([0x61, 0xff, 0x62]));

    expect(captured.text()).toBe("a\ufffdb");
  });
});
