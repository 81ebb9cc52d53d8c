import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import type { Sandbox, SandboxCommand, SandboxLimits, SandboxMount, SandboxResult } from "../../src/ports/sandbox.ts";

/** How an adapter is put under the contract. */
export interface SandboxUnderTest {
  /** `registries`: hosts that the caller vouches for, `host:port`. */
  create(options: { registries: { hosts: string[] } }): Promise<Sandbox>;
  /** Names of containers, control groups and the like that exist for commands of this process. */
  leftovers(): Promise<string[]>;
}

type Overrides = Partial<Omit<SandboxCommand, "argv" | "limits">> & {
  limits?: Partial<SandboxLimits>;
  signal?: AbortSignal;
};

export const MIB = 2 ** 20;

/** Of every command that is not given others. */
export const LIMITS: SandboxLimits = {
  wallTimeMs: 30_000,
  memoryBytes: 256 * MIB,
  processes: 32,
  outputBytes: 64 * 1024,
  diskBytes: 16 * MIB,
};

/** Sits in this process's environment while a sandbox is under test. */
export const PLANTED_SECRET = "planted-secret";

/** What the contract's tests work with: one sandbox, and for each test a folder of its own. */
export interface SandboxBench {
  sandbox(): Sandbox;
  folder(): string;
  /** `host:port` of a server on this host's loopback that answers with the headers it got, as JSON. */
  address(): string;
  run(argv: SandboxCommand["argv"], overrides?: Overrides): Promise<SandboxResult>;
  python(source: string, overrides?: Overrides, ...args: string[]): Promise<SandboxResult>;
  /** A new, empty folder of this process, to be mounted. */
  mount(sandboxPath: string, writable: boolean): Promise<SandboxMount>;
}

/** Call inside `describe`. Every test fails that leaves something behind. */
export function useBench(underTest: SandboxUnderTest): SandboxBench {
  let folder: string;
  let server: Server;
  let sandbox: Sandbox;

  beforeAll(async () => {
    process.env.REPGEN_PLANTED_SECRET = PLANTED_SECRET;
    server = createServer((incoming, response) => response.end(JSON.stringify(incoming.headers)));
    await once(server.listen(0, "127.0.0.1"), "listening");
    sandbox = await underTest.create({ registries: { hosts: [addressOf(server)] } });
  });
  afterAll(() => {
    delete process.env.REPGEN_PLANTED_SECRET;
    server.close();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "repgen-contract-"));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
    expect(await underTest.leftovers()).toEqual([]);
  });

  const bench: SandboxBench = {
    sandbox: () => sandbox,
    folder: () => folder,
    address: () => addressOf(server),
    run: (argv, { signal = AbortSignal.timeout(60_000), limits, ...rest } = {}) => {
      const command = { argv, env: {}, mounts: [], network: "none" as const, gpus: [], ...rest };
      return sandbox.run({ ...command, limits: { ...LIMITS, ...limits } }, signal);
    },
    python: (source, overrides = {}, ...args) => bench.run(["python3", "-c", source, ...args], overrides),
    mount: async (sandboxPath, writable) => {
      const hostPath = join(folder, randomUUID());
      await mkdir(hostPath);
      return { hostPath, sandboxPath, writable };
    },
  };
  return bench;
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server does not listen on a port");
  return `127.0.0.1:${address.port}`;
}

/** Processes of the host with `marker` among their arguments. */
export async function processesWith(marker: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commandLines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return commandLines.filter((line) => line.includes(marker));
}
