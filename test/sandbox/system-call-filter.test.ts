import { describe, expect, it } from "vitest";
import { systemCallFilter } from "../../src/sandbox/system-call-filter.ts";

const X64 = 0xc000_003e;
const ALLOWED = 0x7fff_0000;
const refused = (error: number) => 0x0005_0000 | error;

/** What a filter returns for a call, by the rules of classic BPF. */
function verdict(program: Uint8Array, call: { architecture: number; number: number; argument?: number }): number {
  const bytes = Buffer.from(program);
  const data = new Map([
    [0, call.number],
    [4, call.architecture],
    [16, call.argument ?? 0],
  ]);
  let loaded = 0;
  for (let index = 0; ; index++) {
    const [ifTrue, ifFalse] = [bytes.readUInt8(index * 8 + 2), bytes.readUInt8(index * 8 + 3)];
    const operand = bytes.readUInt32LE(index * 8 + 4);
    const jump = (condition: boolean) => (condition ? ifTrue : ifFalse);
    switch (bytes.readUInt16LE(index * 8)) {
      case 0x20:
        loaded = data.get(operand) ?? Number.NaN;
        break;
      case 0x15:
        index += jump(loaded === operand);
        break;
      case 0x35:
        index += jump(loaded >= operand);
        break;
      case 0x45:
        index += jump((loaded & operand) !== 0);
        break;
      default:
        return operand;
    }
  }
}

describe("systemCallFilter", () => {
  const filter = systemCallFilter("x64") ?? new Uint8Array();
  const ofX64 = (number: number, argument = 0) => verdict(filter, { architecture: X64, number, argument });

  it.each([
    ["read", 0, 0],
    ["mmap", 9, 0],
    ["ptrace", 101, 0],
    ["fork by clone", 56, 0x0120_0011],
    ["a thread by clone", 56, 0x003d_0f00],
    ["socket of IPv4", 41, 2],
    ["socket of Unix", 41, 1],
  ])("allows %s", (_, number, argument) => {
    expect(ofX64(number, argument)).toBe(ALLOWED);
  });

  it.each([
    ["unshare", 272, 0, 1],
    ["keyctl", 250, 0, 1],
    ["bpf", 321, 0, 1],
    ["io_uring_setup", 425, 0, 1],
    ["clone into a user namespace", 56, 0x1000_0011, 1],
    ["clone into a network namespace", 56, 0x4000_0011, 1],
    ["clone3, so that clone is taken", 435, 0, 38],
    ["socket of vsock", 41, 40, 97],
    ["socket of packets", 41, 17, 97],
    ["a call of the x32 convention", 0x4000_0000, 0, 1],
  ])("refuses %s", (_, number, argument, error) => {
    expect(ofX64(number, argument)).toBe(refused(error));
  });

  it("refuses every call of another architecture", () => {
    expect(verdict(filter, { architecture: 0x4000_0003, number: 0 })).toBe(refused(1));
  });

  it("knows the numbers of arm64, and no other processor's", () => {
    const arm64 = systemCallFilter("arm64") ?? new Uint8Array();

    expect(verdict(arm64, { architecture: 0xc000_00b7, number: 97 })).toBe(refused(1));
    expect(verdict(arm64, { architecture: 0xc000_00b7, number: 63 })).toBe(ALLOWED);
    expect(systemCallFilter("riscv64")).toBeNull();
  });
});
