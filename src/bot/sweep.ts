import type { IssueKey } from "../ports/ledger.ts";
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
async function recoverRuns(deps: BotDeps): Promise<void> {
  for (const issue of await deps.ledger.openIssues()) {
    await recoverRun(issue, deps).catch((error: unknown) => {
      deps.log.error({ err: error, issue }, "a run cannot be looked after");
    });
  }
}

async function recoverRun(issue: IssueKey, { ledger, queue, log }: BotDeps): Promise<void> {
  const request = (await ledger.recordOf(issue)).run?.request;
  if (request === undefined) return;
  const { runId } = request;
  // In this order: the delivery adds the run's job, and the run's job adds the outcome's, before it is over itself.
  const asking = await queue.stateOf("delivery", guidOf(request));
  const state = await queue.stateOf(jobOf(request), runId);
  const telling = await queue.stateOf("outcome", `outcome-${runId}`);
  if ([asking, state, telling].some((each) => each === "waiting" || each === "running")) return;
  log.warn({ run: runId, state, telling }, "a run was lost");
  if (telling === "gone") {
    const reason = "The run was lost: its worker ended, or its job was taken out of the queue.";
    return await reportEnd(request, "failed", reason, queue);
  }
  // It was told, or could not be: only the record does not know.
  await ledger.withIssue(issue, async (record) => {
    if (record.run?.request.runId === runId) record.run = null;
  });
}
