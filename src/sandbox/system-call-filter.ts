/** Numbers of one processor's system calls, as the kernel's tables have them. */
interface SystemCalls {
  /** `AUDIT_ARCH_…`: calls in another convention (32-bit) are refused. */
  architecture: number;
  clone: number;
  clone3: number;
  socket: number;
  /** Nothing here needs them, and much that broke out of sandboxes began with one. */
  refused: Record<string, number>;
}

const X64: SystemCalls = {
  architecture: 0xc000_003e,
  clone: 56,
  clone3: 435,
  socket: 41,
  refused: {
    unshare: 272,
    setns: 308,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    bpf: 321,
    perf_event_open: 298,
    userfaultfd: 323,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
  },
};

const ARM64: SystemCalls = {
  architecture: 0xc000_00b7,
  clone: 220,
  clone3: 435,
  socket: 198,
  refused: {
    unshare: 97,
    setns: 268,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    bpf: 280,
    perf_event_open: 241,
    userfaultfd: 282,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
  },
};

/** `CLONE_NEW…` of every namespace but time. */
const NEW_NAMESPACES = 0x7e02_0000;
/** `AF_UNIX`, `AF_INET`, `AF_INET6`, `AF_NETLINK`. Others, such as vsock, may reach past the network namespace. */
const ADDRESS_FAMILIES = [1, 2, 10, 16];
/** On x64, calls from here on are those of the x32 convention. */
const X32_CALLS = 0x4000_0000;

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Offsets in `struct seccomp_data`; of an argument, its lower half. */
const CALL = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

/** One instruction of classic BPF: code, jump if true, jump if false, operand. */
type Instruction = [code: number, ifTrue: number, ifFalse: number, operand: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const skipUnlessEqual = (value: number, skip: number): Instruction => [0x15, 0, skip, value];
const skipIfEqual = (value: number, skip: number): Instruction => [0x15, skip, 0, value];
const skipUnlessAtLeast = (value: number, skip: number): Instruction => [0x35, 0, skip, value];
const skipUnlessAnyBit = (bits: number, skip: number): Instruction => [0x45, 0, skip, bits];
const allow: Instruction = [0x06, 0, 0, 0x7fff_0000];
const fail = (error: number): Instruction => [0x06, 0, 0, 0x0005_0000 | error];

/**
 * A seccomp program, as `bwrap --seccomp` reads it: no new namespaces, no sockets but local and internet ones, none of
 * the calls refused above. Null for a processor that is not listed.
 */
export function systemCallFilter(processor: string): Uint8Array | null {
  if (processor === "x64") return assemble(filter(X64));
  if (processor === "arm64") return assemble(filter(ARM64));
  return null;
}

function filter({ architecture, clone, clone3, socket, refused }: SystemCalls): Instruction[] {
  return [
    load(ARCHITECTURE),
    ...[skipIfEqual(architecture, 1), fail(EPERM)],
    load(CALL),
    ...[skipUnlessAtLeast(X32_CALLS, 1), fail(EPERM)],
    ...Object.values(refused).flatMap((number) => [skipUnlessEqual(number, 1), fail(EPERM)]),
    // Its flags lie in memory, out of a filter's reach; the C library then takes clone.
    ...[skipUnlessEqual(clone3, 1), fail(ENOSYS)],
    ...[skipUnlessEqual(clone, 4), load(FIRST_ARGUMENT), skipUnlessAnyBit(NEW_NAMESPACES, 1), fail(EPERM), allow],
    ...[skipIfEqual(socket, 1), allow, load(FIRST_ARGUMENT)],
    ...ADDRESS_FAMILIES.flatMap((family) => [skipUnlessEqual(family, 1), allow]),
    fail(EAFNOSUPPORT),
  ];
}

function assemble(program: Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4);
  }
  return bytes;
}
