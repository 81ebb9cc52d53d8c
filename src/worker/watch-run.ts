import type { RunProgress, RunRequest } from "../bot/types.ts";
import { cleanText } from "../issue/clean-text.ts";
import type { Progress } from "../pipeline/run.ts";
import type { WorkerDeps } from "./deps.ts";

/** The comment is edited at most so often. */
const editEveryMs = 3_000;
const longestDetail = 160;

/** Keeps what a run is at where the process that answers GitHub finds it, and tells that there is something new. */
export function watchRun(
  { runId }: RunRequest,
  { ledger, queue, counters, log }: Pick<WorkerDeps, "ledger" | "queue" | "counters" | "log">,
): { onProgress: (progress: Progress) => void; written: () => Promise<void> } {
  const seen: RunProgress = { startedAt: new Date().toISOString(), stages: [], attempts: 0, tokens: 0 };
  let writing = Promise.resolve();
  const write = () => {
    const snapshot = structuredClone(seen);
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
    written: () => writing,
  };
}

function oneLine(text: string): string {
  const line = cleanText(text).replace(/\s+/g, " ").trim();
  return line.length > longestDetail ? `${line.slice(0, longestDetail - 1)}…` : line;
}
