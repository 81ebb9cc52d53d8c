import { composeProgress } from "./compose.ts";
import type { BotDeps } from "./deps.ts";
import { countUsed } from "./limits.ts";
import { openRun } from "./open-run.ts";
import type { Turns } from "./take-turns.ts";

/** Brings the run's comment up to what is known; nothing once the run is over or its comment was deleted. */
export async function reportProgress({ runId }: { runId: string }, turns: Turns, deps: BotDeps): Promise<void> {
  const { ledger } = deps;
  const open = await openRun(runId, ledger);
  if (open === null) return;
  using _turn = turns.enter(open.home.installationId);
  await ledger.withIssue(open.issue, async ({ run }) => {
    if (run === null || run.request.runId !== runId) return;
    const progress = await ledger.progressOf(runId);
    if (progress !== null) await countUsed(run, progress, ledger, deps.now());
    if (run.commentId === null || run.commentGone) return;
    const body = composeProgress(run.request, progress);
    if (body === run.told) return;
    const { installationId, repository } = run.request.home;
    const edited = await deps.desk.of(installationId).editComment(repository.fullName, run.commentId, body);
    run.commentGone = edited === "gone";
    run.told = body;
  });
}
