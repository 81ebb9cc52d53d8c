import type { UsedUp } from "../bot/limits.ts";
import type { RunProgress, RunRequest } from "../bot/types.ts";
import { cleanText } from "../issue/clean-text.ts";
import type { Progress } from "../pipeline/run.ts";
import type { WorkerDeps } from "./deps.ts";

/** The comment is edited at most so often. */
const editEveryMs = 3_000;
const longestDetail = 160;

export interface Watcher {
  onProgress: (progress: Progress) => void;
  /** A limit keeps the run from beginning. */
  hold: (held: UsedUp) => void;
  /** What the run has taken, with what workers that were lost had been at it. */
  used: () => { durationMs: number; gpuSeconds: number };
  written: () => Promise<void>;
}

/**
 * Keeps what a run is at where the process that answers GitHub finds it, and tells that there is something new. `before`
 * is what was known of the run when it was taken up again.
 */
export function watchRun(
  { runId }: RunRequest,
  { gpus, before }: { gpus: number; before: RunProgress | null },
  { ledger, queue, counters, log }: Pick<WorkerDeps, "ledger" | "queue" | "counters" | "log">,
): Watcher {
  const began = performance.now();
  const used = () => {
    const durationMs = Math.round(performance.now() - began);
    return {
      durationMs: (before?.durationMs ?? 0) + durationMs,
      gpuSeconds: (before?.gpuSeconds ?? 0) + (gpus * durationMs) / 1000,
    };
  };
  const startedAt = before?.startedAt ?? new Date().toISOString();
  const seen: RunProgress = { startedAt, stages: [], attempts: 0, tokens: 0, ...used(), held: null };
  let writing = Promise.resolve();
  const write = () => {
    const snapshot = structuredClone({ ...seen, ...used() });
    writing = writing
      .then(async () => {
        await ledger.putProgress(runId, snapshot);
        await queue.add("progress", { runId }, { id: `progress-${runId}`, delayMs: editEveryMs, coalesce: true });
      })
      // What is told of a run on its way is not worth the run.
      .catch((error: unknown) => log.warn({ err: error, run: runId }, "progress not told"));
  };
  return {
    onProgress(progress) {
      if (progress.type === "note") return;
      seen.attempts = progress.spent.attempts;
      seen.tokens = progress.spent.promptTokens + progress.spent.completionTokens;
      if (progress.type === "stage-started") {
        seen.stages.push({ name: progress.stage, state: "running", durationMs: 0, detail: "" });
      } else {
        const stage = seen.stages.findLast(({ name, state }) => name === progress.stage && state === "running");
        if (stage !== undefined) {
          stage.state = progress.failed ? "failed" : "done";
          stage.durationMs = progress.durationMs;
          stage.detail = oneLine(progress.detail);
        }
        counters.stage(progress.stage, progress.durationMs);
      }
      write();
    },
    hold(held) {
      seen.held = held;
      write();
    },
    used,
    written: () => writing,
  };
}

function oneLine(text: string): string {
  const line = cleanText(text).replace(/\s+/g, " ").trim();
  return line.length > longestDetail ? `${line.slice(0, longestDetail - 1)}…` : line;
}
