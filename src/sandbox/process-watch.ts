import { readdir, readFile } from "node:fs/promises";
import type { GroupLimits } from "./control-group.ts";
import type { Limit } from "./supervise.ts";

/** Watches a tree of processes where no control group can: from outside, by polling. */
export interface ProcessWatch {
  /** The limit that was exceeded, or null. */
  limitReached(): Limit | null;
  stop(): void;
}

const POLL_MS = 25;

/** Calls `kill` once, when the descendants of `rootPid` exceed a limit together. */
export function watchProcesses(rootPid: number, limits: GroupLimits, kill: () => void): ProcessWatch {
  let reached: Limit | null = null;
  let stopped = false;

  async function poll(): Promise<void> {
    reached = await exceeded(rootPid, limits);
    if (reached !== null) kill();
    else if (!stopped) setTimeout(poll, POLL_MS);
  }

  void poll();
  return {
    limitReached: () => reached,
    stop: () => {
      stopped = true;
    },
  };
}

async function exceeded(rootPid: number, limits: GroupLimits): Promise<Limit | null> {
  const tree = await descendants(rootPid, limits.processes);
  if (tree.length >= limits.processes) return "processes";
  const statuses = await Promise.all(tree.map((pid) => read(`/proc/${pid}/status`)));
  if (sum(statuses.map((status) => field(status, "Threads"))) >= limits.processes) return "processes";
  const residentKib = statuses.map((status) => field(status, "RssAnon") + field(status, "RssShmem"));
  if (sum(residentKib) * 1024 <= limits.memoryBytes) return null;
  // Forked processes share pages; the exact share of each is slow to read, so only in doubt.
  const shares = await Promise.all(tree.map((pid) => read(`/proc/${pid}/smaps_rollup`)));
  const sharedKib = shares.map((share) => field(share, "Pss_Anon") + field(share, "Pss_Shmem"));
  return sum(sharedKib) * 1024 > limits.memoryBytes ? "memory" : null;
}

/** All below `rootPid`, or at least `enough` of them. Orphans stay below the init of their pid namespace. */
async function descendants(rootPid: number, enough: number): Promise<number[]> {
  const found: number[] = [];
  for (let level = [rootPid]; level.length > 0 && found.length < enough; ) {
    level = (await Promise.all(level.map(childrenOf))).flat();
    found.push(...level);
  }
  return found;
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`)));
  return lists.join(" ").split(" ").filter(Boolean).map(Number);
}

/** A file of a process; empty for one that is gone. */
function read(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
