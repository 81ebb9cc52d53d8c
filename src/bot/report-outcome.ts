import { createHash } from "node:crypto";
import { ForgeFault } from "../errors.ts";
import type { JobData } from "../jobs.ts";
import type { Outcome } from "../outcome.ts";
import type { Desk } from "../ports/desk.ts";
import { mostAnswers } from "./answer-question.ts";
import { composeResult, marker } from "./compose.ts";
import type { BotDeps } from "./deps.ts";
import { findSettings } from "./find-settings.ts";
import { spend } from "./limits.ts";
import { setLabels } from "./set-labels.ts";
import type { IssueRecord, RunRequest } from "./types.ts";

/**
 * Tells the end of a run: its comment becomes the result, labels follow. Where it writes to is what was kept at the
 * trigger; the worker has no say in that. Done once, however often it is asked for.
 */
export async function reportOutcome({ runId, outcome, gpuSeconds }: JobData<"outcome">, deps: BotDeps): Promise<void> {
  const issue = await deps.ledger.issueOf(runId);
  if (issue === null) return;
  await deps.ledger.withIssue(issue, async (record) => {
    const { run } = record;
    if (run === null || run.request.runId !== runId) return;
    const { request } = run;
    const desk = deps.desk.of(request.home.installationId);
    const asksAgain = mayAskAgain(outcome, record);
    const body = composeResult({ outcome, runId, asksAgain }, deps.secrets);
    const commentUrl = await unlessRefused(() => writeResult(run, body, request, desk), runId, deps);
    const settings = await findSettings(request.home, deps);
    await unlessRefused(() => setLabels(outcome.verdict, record, request, settings, desk), runId, deps);

    const tokens = outcome.spent.promptTokens + outcome.spent.completionTokens;
    await spend(request.home, { tokens, gpuSeconds }, deps.ledger, deps.now());
    record.last = { request, verdict: outcome.verdict, commentUrl, endedAt: deps.now().toISOString() };
    record.run = null;
    await deps.ledger.forgetRun(runId);
    record.awaitsReporter = asksAgain;
    if (asksAgain) record.asked.push(hashOf(outcome.reason));
    deps.counters.runEnded(outcome.verdict, { tokens, gpuSeconds });
    deps.log.info({ run: runId, repository: request.home.repository.fullName, verdict: outcome.verdict }, "run told");
  });
}

/** What GitHub refuses for good (a locked or deleted issue, an App that was taken away) must not keep the run open. */
async function unlessRefused<T>(write: () => Promise<T>, runId: string, { log }: BotDeps): Promise<T | null> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof ForgeFault) || error.retryable) throw error;
    log.error({ err: error, run: runId }, "GitHub refuses what is to be told of a run");
    return null;
  }
}

/** Not the same thing twice, and not for ever. */
function mayAskAgain({ verdict, reason }: Outcome, { asked, answers }: IssueRecord): boolean {
  return verdict === "needs-information" && answers < mostAnswers && !asked.includes(hashOf(reason));
}

function hashOf(question: string): string {
  return createHash("sha256").update(question).digest("hex").slice(0, 16);
}

/** The comment's address; null when somebody has deleted it: it is not written again. */
async function writeResult(
  run: NonNullable<IssueRecord["run"]>,
  body: string,
  { home, runId }: RunRequest,
  desk: Desk,
): Promise<string | null> {
  const { fullName } = home.repository;
  if (run.commentGone) return null;
  if (run.commentId === null) {
    const mark = marker("run", runId);
    const found = (await desk.commentsOf(fullName, home.issueNumber)).find((comment) => comment.body.includes(mark));
    if (found === undefined) return (await desk.createComment(fullName, home.issueNumber, body)).url;
    run.commentId = found.id;
  }
  const edited = await desk.editComment(fullName, run.commentId, body);
  run.commentGone = edited === "gone";
  return edited === "gone" ? null : edited.url;
}
