import type { RunRequest } from "./types.ts";

/** The queue's name for a run. */
export function jobOf({ gpu }: Pick<RunRequest, "gpu">): "reproduce" | "reproduce-gpu" {
  return gpu ? "reproduce-gpu" : "reproduce";
}
