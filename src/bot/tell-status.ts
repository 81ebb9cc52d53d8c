import type { IssueKey } from "../ports/ledger.ts";
import { composeStatus } from "./compose.ts";
import type { Delivery } from "./delivery.ts";
import type { BotDeps } from "./deps.ts";
import { jobOf } from "./job-of.ts";
import { reply } from "./reply.ts";
import type { IssueRecord } from "./types.ts";

/** Answers with what is known of the issue's run. */
export async function tellStatus(delivery: Delivery, deps: BotDeps): Promise<void> {
  await replyWithStatus(await deps.ledger.recordOf(issueKey(delivery)), delivery, deps);
}

export async function replyWithStatus(record: IssueRecord, delivery: Delivery, deps: BotDeps): Promise<void> {
  const request = record.run?.request;
  if (request === undefined) return await reply(composeStatus(null), delivery, deps);
  const progress = await deps.ledger.progressOf(request.runId);
  const waitingBefore = progress === null ? (await deps.queue.waiting(jobOf(request))) - 1 : null;
  const status = {
    request,
    progress,
    waitingBefore: waitingBefore !== null && waitingBefore > 0 ? waitingBefore : null,
  };
  await reply(composeStatus(status), delivery, deps);
}

export function issueKey({ repository, issue }: Pick<Delivery, "repository" | "issue">): IssueKey {
  return `${repository.id}/${issue.number}`;
}
