import { composeProgress } from "./compose.ts";
import type { BotDeps } from "./deps.ts";

/** Brings the run's comment up to what is known; nothing once the run is over or its comment was deleted. */
export async function reportProgress({ runId }: { runId: string }, deps: BotDeps): Promise<void> {
  const issue = await deps.ledger.issueOf(runId);
  if (issue === null) return;
  await deps.ledger.withIssue(issue, async ({ run }) => {
    if (run === null || run.request.runId !== runId || run.commentId === null || run.commentGone) return;
    const body = composeProgress(run.request, await deps.ledger.progressOf(runId));
    if (body === run.told) return;
    const { installationId, repository } = run.request.home;
    const edited = await deps.desk.of(installationId).editComment(repository.fullName, run.commentId, body);
    run.commentGone = edited === "gone";
    run.told = body;
  });
}
