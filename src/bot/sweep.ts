import { reportEnd } from "./cancel-run.ts";
import type { BotDeps } from "./deps.ts";
import { enqueueDelivery } from "./enqueue-delivery.ts";
import { jobOf } from "./job-of.ts";
import { guidOf } from "./start-run.ts";

/** GitHub keeps deliveries for so long. */
const deliveriesAreKeptMs = 3 * 24 * 3600_000;
/** Deliveries that are under way just now are not missed yet. */
const overlapMs = 120_000;
const noteSeconds = 7 * 24 * 3600;

/** Recovers what was missed while a process was down: deliveries, and runs whose job is gone. */
export async function sweep(deps: BotDeps): Promise<void> {
  await recoverDeliveries(deps);
  await recoverRuns(deps);
}

/** GitHub itself never sends a delivery again. */
async function recoverDeliveries(deps: BotDeps): Promise<void> {
  const now = deps.now();
  const last = await deps.ledger.note("swept");
  const since = last === null ? now.getTime() - deliveriesAreKeptMs : Date.parse(last) - overlapMs;
  for (const { guid, event, payload } of await deps.desk.missedDeliveries(new Date(since))) {
    if (await enqueueDelivery({ guid, event, payload }, deps))
      deps.log.info({ delivery: guid }, "missed delivery found");
  }
  await deps.ledger.putNote("swept", now.toISOString(), noteSeconds);
}

/** A run whose worker died too often, or whose job somebody took out of the queue, still has an end. */
async function recoverRuns({ ledger, queue, log }: BotDeps): Promise<void> {
  for (const issue of await ledger.openIssues()) {
    const request = (await ledger.recordOf(issue)).run?.request ?? null;
    if (request === null) continue;
    const { runId } = request;
    const state = await queue.stateOf(jobOf(request), runId);
    if (state === "waiting" || state === "running") continue;
    const asking = await queue.stateOf("delivery", guidOf(request));
    const telling = await queue.stateOf("outcome", `outcome-${runId}`);
    if ([asking, telling].some((other) => other === "waiting" || other === "running")) continue;
    log.warn({ run: runId, state }, "a run was lost");
    await reportEnd(
      request,
      "failed",
      "The run was lost: its worker ended, or its job was taken out of the queue.",
      queue,
    );
  }
}
