import { bareOutcome, type Outcome } from "../outcome.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { Queue } from "../ports/queue.ts";
import type { Verdict } from "../types.ts";
import { type Delivery, timeOf } from "./delivery.ts";
import type { BotDeps } from "./deps.ts";
import { jobOf } from "./job-of.ts";
import { acknowledge } from "./start-run.ts";
import { issueKey, replyWithStatus } from "./tell-status.ts";
import type { RunRequest } from "./types.ts";

/** Ends the issue's run; the worker that is at it does, or the queue when none is yet. */
export async function cancelRun(delivery: Delivery, deps: BotDeps): Promise<void> {
  await deps.ledger.withIssue(issueKey(delivery), async (record) => {
    const said = timeOf(delivery);
    if (record.run === null) {
      record.cancelledAt = said;
      return await replyWithStatus(record, delivery, deps);
    }
    const { request } = record.run;
    // Said before this run was asked for, and heard late: it was another run's.
    if (said < request.pinned.at) return;
    await cancel(request, deps);
    const to = { issue: delivery.issue.number, comment: delivery.comment?.id ?? null };
    await acknowledge(deps.desk.of(delivery.installation.id), delivery.repository.full_name, to);
  });
}

/** From the thread or from the command line. */
export async function cancel(request: RunRequest, { ledger, queue }: { ledger: Ledger; queue: Queue }): Promise<void> {
  await ledger.requestCancel(request.runId);
  if ((await queue.remove(jobOf(request), request.runId)) === "running") return;
  await reportEnd(request, "cancelled", "The run was cancelled before it began.", queue);
}

/** For a run that no worker will tell the end of. */
export async function reportEnd(request: RunRequest, verdict: Verdict, reason: string, queue: Queue): Promise<void> {
  const outcome = bareOutcome(issueOf(request), verdict, reason);
  await queue.add("outcome", { runId: request.runId, outcome, gpuSeconds: 0 }, { id: `outcome-${request.runId}` });
}

function issueOf({ home, issue }: RunRequest): Outcome["issue"] {
  return { repository: home.repository.fullName, number: home.issueNumber, title: issue.title, url: issue.url };
}
