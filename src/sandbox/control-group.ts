import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, killProcess } from "./processes.ts";
import type { Limit } from "./supervise.ts";

/** Where this host's kernel lets this process count and limit groups of processes. */
export interface ControlGroups {
  version: 1 | 2;
  create(limits: GroupLimits): Promise<ControlGroup>;
}

export interface GroupLimits {
  /** Of all processes together, their files on tmpfs included. */
  memoryBytes: number;
  /** Threads count as processes. */
  processes: number;
}

/** Processes, with all their descendants, that are limited together. */
export interface ControlGroup {
  add(pid: number): Promise<void>;
  /** A limit that something in the group ran into, or null. */
  limitReached(): Promise<Limit | null>;
  /** Kills what is left in the group, and removes it. */
  remove(): Promise<void>;
}

/** The two hierarchies of version 1, or twice the one of version 2. */
interface Hierarchies {
  version: 1 | 2;
  memory: string;
  pids: string;
}

const PARENT = "repgen";
const REMOVAL_TIMEOUT_MS = 5_000;

/** The host's control groups, or null where this process may not make any. */
export async function findControlGroups(): Promise<ControlGroups | null> {
  const hierarchies = hierarchiesIn(await readFile("/proc/self/mounts", "utf8"));
  if (hierarchies === null) return null;
  try {
    if (hierarchies.version === 2) await delegateControllers(hierarchies.memory);
    const probe = await createGroup(hierarchies, { memoryBytes: 2 ** 30, processes: 8 });
    await probe.remove();
    for (const root of [hierarchies.memory, hierarchies.pids]) await removeLeftovers(join(root, PARENT));
  } catch {
    return null;
  }
  return { version: hierarchies.version, create: (limits) => createGroup(hierarchies, limits) };
}

/** Reads a mount table: version 1 where it has both controllers, else version 2; null for neither. */
export function hierarchiesIn(mounts: string): Hierarchies | null {
  const rows = mounts.split("\n").map((line) => line.split(" "));
  const controller = (name: string) =>
    rows.find(([, , type, flags]) => type === "cgroup" && flags?.split(",").includes(name))?.[1];
  const memory = controller("memory");
  const pids = controller("pids");
  if (memory !== undefined && pids !== undefined) return { version: 1, memory, pids };
  const unified = rows.find(([, , type]) => type === "cgroup2")?.[1];
  return unified === undefined ? null : { version: 2, memory: unified, pids: unified };
}

async function delegateControllers(root: string): Promise<void> {
  await mkdir(join(root, PARENT), { recursive: true });
  for (const folder of [root, join(root, PARENT)]) {
    await writeFile(join(folder, "cgroup.subtree_control"), "+memory +pids");
  }
}

async function createGroup(hierarchies: Hierarchies, limits: GroupLimits): Promise<ControlGroup> {
  const name = join(PARENT, `${process.pid}-${randomUUID()}`);
  const memory = join(hierarchies.memory, name);
  const pids = join(hierarchies.pids, name);
  const folders = [...new Set([memory, pids])];
  const group: ControlGroup = {
    add: async (pid) => {
      for (const folder of folders) await writeFile(join(folder, "cgroup.procs"), String(pid));
    },
    limitReached: async () => {
      const memoryEvents = hierarchies.version === 1 ? "memory.oom_control" : "memory.events";
      if ((await counter(join(memory, memoryEvents), "oom_kill")) > 0) return "memory";
      return (await counter(join(pids, "pids.events"), "max")) > 0 ? "processes" : null;
    },
    remove: async () => {
      for (const folder of folders) await removeGroup(folder);
    },
  };

  try {
    for (const folder of folders) await mkdir(folder, { recursive: true });
    await writeFile(join(pids, "pids.max"), String(limits.processes));
    await limitMemory(hierarchies.version, memory, limits.memoryBytes);
    return group;
  } catch (error) {
    await group.remove();
    throw error;
  }
}

/** Empty groups of processes that ended without removing them; the kernel keeps those that are in use. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const owner = /^(\d+)-/.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) await rmdir(join(parent, name)).catch(() => undefined);
  }
}

/** Swap counts as memory. Kernels without swap accounting have no file for it. */
async function limitMemory(version: 1 | 2, folder: string, bytes: number): Promise<void> {
  const [memory, swap] =
    version === 1
      ? ([
          ["memory.limit_in_bytes", bytes],
          ["memory.memsw.limit_in_bytes", bytes],
        ] as const)
      : ([
          ["memory.max", bytes],
          ["memory.swap.max", 0],
        ] as const);
  await writeFile(join(folder, memory[0]), String(memory[1]));
  await writeFile(join(folder, swap[0]), String(swap[1])).catch(() => undefined);
}

/** Value of `name` in a file of `name value` lines. */
async function counter(file: string, name: string): Promise<number> {
  const line = (await readFile(file, "utf8")).split("\n").find((text) => text.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

async function removeGroup(folder: string): Promise<void> {
  const deadline = Date.now() + REMOVAL_TIMEOUT_MS;
  while (true) {
    try {
      await rmdir(folder);
      return;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
      if (Date.now() > deadline) throw error;
      await killAll(join(folder, "cgroup.procs"));
      await sleep(10);
    }
  }
}

async function killAll(processList: string): Promise<void> {
  const pids = (await readFile(processList, "utf8").catch(() => "")).split("\n").map(Number);
  for (const pid of pids.filter((pid) => pid > 1)) killProcess(pid);
}
