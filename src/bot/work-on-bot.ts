import type { BotDeps } from "./deps.ts";
import { giveToken } from "./give-token.ts";
import { handleDelivery } from "./handle-delivery.ts";
import { reportOutcome } from "./report-outcome.ts";
import { reportProgress } from "./report-progress.ts";
import { sweep } from "./sweep.ts";
import { takeTurns } from "./take-turns.ts";

const concurrency = { deliveries: 8, report: 8, tokens: 4 };
/** Of one installation, in each queue. */
const turn = { most: 2, spacingMs: 1_000 };
/** More would only run into GitHub's limits, and takes the processor from who answers it. */
const deliveriesPerSecond = 50;

/** Handles deliveries and reports until it is disposed of; `queueSecret` null leaves private repositories out. */
export async function workOnBot(
  { sweepMs, queueSecret }: { sweepMs: number; queueSecret: string | null },
  deps: BotDeps,
): Promise<AsyncDisposable> {
  const onLost = async (name: string, id: string, error: Error) => {
    deps.counters.fault(name);
    deps.log.error({ err: error, job: id }, "a job was given up");
  };
  const turns = { deliveries: takeTurns(turn), report: takeTurns(turn) };
  const workers = [
    deps.queue.work(
      "deliveries",
      { delivery: ({ data }) => handleDelivery(data, turns.deliveries, deps), sweep: () => sweep(deps) },
      { concurrency: concurrency.deliveries, perSecond: deliveriesPerSecond, onLost },
    ),
    deps.queue.work(
      "report",
      {
        progress: ({ data }) => reportProgress(data, turns.report, deps),
        outcome: ({ data }) => reportOutcome(data, turns.report, deps),
      },
      { concurrency: concurrency.report, onLost },
    ),
  ];
  if (queueSecret !== null) {
    const token = ({ id, data }: { id: string; data: { runId: string } }) =>
      giveToken({ id, runId: data.runId }, queueSecret, deps);
    workers.push(deps.queue.work("tokens", { token }, { concurrency: concurrency.tokens, onLost }));
  }
  await deps.queue.repeat("sweep", sweepMs);
  return disposeTogether(workers);
}

/** Disposes of all at once. */
export function disposeTogether(parts: readonly AsyncDisposable[]): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()));
    },
  };
}
