import { hostname } from "node:os";
import type { SandboxCommand } from "../ports/sandbox.ts";
import { isAlive } from "./processes.ts";

export const OWNER_LABEL = "repgen.owner";
const JOB_LABEL = "repgen.job";
const DEADLINE_LABEL = "repgen.deadline";

/** How long after its command's time a container is surely nobody's, whoever made it. */
const GRACE_MS = 10 * 60_000;

/** Labels by which a container left behind is known for one. */
export function containerLabels(job: string, { limits }: SandboxCommand): Record<string, string> {
  return {
    [OWNER_LABEL]: `${process.pid}@${hostname()}`,
    [JOB_LABEL]: job,
    [DEADLINE_LABEL]: String(Date.now() + limits.wallTimeMs + GRACE_MS),
  };
}

/**
 * Was a container with these labels left behind? Its deadline is over, or its owner was on this host and is gone. A
 * process with this one's id that made it before this one started was another.
 */
export function isLeftover(labels: Record<string, string>, createdAtMs: number): boolean {
  if (Number(labels[DEADLINE_LABEL]) < Date.now()) return true;
  const [pid, host] = (labels[OWNER_LABEL] ?? "").split("@");
  if (host !== hostname()) return false;
  const ownStartMs = Date.now() - process.uptime() * 1_000;
  return Number(pid) === process.pid ? createdAtMs < ownStartMs - 1_000 : !isAlive(Number(pid));
}
