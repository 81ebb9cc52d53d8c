import { reportEnd } from "../bot/cancel-run.ts";
import { disposeTogether } from "../bot/work-on-bot.ts";
import type { WorkOptions } from "../ports/queue.ts";
import type { WorkerDeps } from "./deps.ts";
import { reproduceRun } from "./reproduce-run.ts";

/** Works on runs until it is disposed of: `concurrency` of them on CPUs, and one on each GPU. */
export function workOnRuns(
  { concurrency, gpus }: { concurrency: number; gpus: readonly string[] },
  deps: WorkerDeps,
): AsyncDisposable {
  const onLost: WorkOptions["onLost"] = async (name, id, error) => {
    deps.counters.fault(name);
    deps.log.error({ err: error, run: id }, "a run was given up");
    await tellLost(id, deps).catch((fault: unknown) => deps.log.error({ err: fault, run: id }, "and not told"));
  };
  const onCpus = deps.queue.work(
    "reproduce",
    { reproduce: (job, signal) => reproduceRun(job, [], deps, signal) },
    { concurrency, onLost },
  );
  const onGpus = gpus.map((gpu) =>
    deps.queue.work(
      "reproduce-gpu",
      { "reproduce-gpu": (job, signal) => reproduceRun(job, [gpu], deps, signal) },
      { concurrency: 1, onLost },
    ),
  );
  return disposeTogether([onCpus, ...onGpus]);
}

async function tellLost(runId: string, { ledger, queue }: WorkerDeps): Promise<void> {
  const issue = await ledger.issueOf(runId);
  const request = issue && ((await ledger.recordOf(issue)).run?.request ?? null);
  if (request?.runId === runId) await reportEnd(request, "failed", "The run ended without an outcome.", queue);
}
