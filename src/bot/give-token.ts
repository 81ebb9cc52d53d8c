import type { BotDeps } from "./deps.ts";
import { jobOf } from "./job-of.ts";
import { seal } from "./seal.ts";

const tokenSeconds = 60;

/** Where the answer to a worker's request lies. */
export function tokenNote(requestId: string): string {
  return `token-${requestId}`;
}

/**
 * Answers a worker that is at a run of a private repository with a token to read that repository, sealed. A run that
 * is not under way gets none, and which repository it is of is not the worker's to say.
 */
export async function giveToken(
  { id, runId }: { id: string; runId: string },
  secret: string,
  { desk, ledger, queue, log }: BotDeps,
): Promise<void> {
  const issue = await ledger.issueOf(runId);
  const request = issue && ((await ledger.recordOf(issue)).run?.request ?? null);
  if (request === null || request.runId !== runId || (await queue.stateOf(jobOf(request), runId)) !== "running") {
    log.warn({ run: runId }, "a token was asked for, for a run that is not under way");
    return;
  }
  const token = await desk.readToken(request.home.installationId, request.home.repository.id);
  await ledger.putNote(tokenNote(id), seal(token, secret, id), tokenSeconds);
}
