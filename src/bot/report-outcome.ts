import { createHash } from "node:crypto";
import { ForgeFault } from "../errors.ts";
import type { JobData } from "../jobs.ts";
import type { Outcome } from "../outcome.ts";
import type { Desk } from "../ports/desk.ts";
import type { Verdict } from "../types.ts";
import { mostAnswers } from "./answer-question.ts";
import { composeResult, marker } from "./compose.ts";
import type { Delivery } from "./delivery.ts";
import type { BotDeps } from "./deps.ts";
import { countUsed } from "./limits.ts";
import { openRun } from "./open-run.ts";
import { findOwn } from "./reply.ts";
import { setLabels } from "./set-labels.ts";
import type { Turns } from "./take-turns.ts";
import type { Home, IssueRecord } from "./types.ts";

/**
 * Tells the end of a run: its comment becomes the result, labels follow. Where it writes to is what was kept at the
 * trigger; the worker has no say in that. Done once, however often it is asked for.
 */
export async function reportOutcome(
  { runId, outcome, gpuSeconds }: JobData<"outcome">,
  turns: Turns,
  deps: BotDeps,
): Promise<void> {
  const open = await openRun(runId, deps.ledger);
  if (open === null) return;
  using _turn = turns.enter(open.home.installationId);
  await deps.ledger.withIssue(open.issue, async (record, keep) => {
    const { run } = record;
    if (run === null || run.request.runId !== runId) return;
    const { request } = run;
    const asksAgain = mayAskAgain(outcome, record);
    const body = composeResult({ outcome, runId, asksAgain }, deps.secrets);
    const commentUrl = await tellGitHub({ body, verdict: outcome.verdict, run, record, keep }, deps);

    const tokens = outcome.spent.promptTokens + outcome.spent.completionTokens;
    await countUsed(run, { tokens, gpuSeconds }, deps.ledger, deps.now());
    const { issue: _report, ...asked } = request;
    record.last = { request: asked, verdict: outcome.verdict, commentUrl, endedAt: deps.now().toISOString() };
    record.run = null;
    await deps.ledger.forgetRun(runId);
    record.awaitsReporter = asksAgain;
    if (asksAgain) {
      record.asked.push(hashOf(outcome.reason));
      if (run.heard !== null) await hearAgain(run.heard, deps);
    }
    deps.counters.runEnded(outcome.verdict, { tokens, gpuSeconds });
    deps.log.info({ run: runId, repository: request.home.repository.fullName, verdict: outcome.verdict }, "run told");
  });
}

interface Told {
  body: string;
  verdict: Verdict;
  run: NonNullable<IssueRecord["run"]>;
  record: IssueRecord;
  keep: () => Promise<void>;
}

/** Comment and labels; the comment's address, or null where there is none. */
async function tellGitHub({ body, verdict, run, record, keep }: Told, deps: BotDeps): Promise<string | null> {
  const { runId, home } = run.request;
  const desk = deps.desk.of(home.installationId);
  const isThere = await unlessRefused(() => isStillNamed(home, desk), runId, deps);
  if (isThere === false) {
    deps.log.error({ run: runId, repository: home.repository.fullName }, "another repository has this name now");
    return null;
  }
  const commentUrl = await unlessRefused(() => writeResult(run, body, desk), runId, deps);
  await unlessRefused(() => setLabels({ verdict, record, keep }, run.request, desk), runId, deps);
  return commentUrl;
}

/** The name may be another repository's since. @throws {ForgeFault} no repository has it just now. */
async function isStillNamed({ repository: { id, fullName } }: Home, desk: Desk): Promise<boolean> {
  const found = await desk.idOf(fullName);
  if (found === null) throw new ForgeFault(`${fullName} is not to be seen just now`, { status: 404, retryable: true });
  return found === id;
}

/** What its reporter said while the run was under way may be what it lacked. */
async function hearAgain(heard: Delivery, { queue }: BotDeps): Promise<void> {
  const guid = `${heard.guid}-again`;
  await queue.add("delivery", { ...heard, guid }, { id: guid });
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
async function writeResult(run: NonNullable<IssueRecord["run"]>, body: string, desk: Desk): Promise<string | null> {
  const { home, runId, pinned } = run.request;
  const { fullName } = home.repository;
  if (run.commentGone) return null;
  const [first, ...more] = await findOwn(marker("run", runId), fullName, home.issueNumber, pinned.at, desk);
  run.commentId ??= first?.id ?? null;
  if (run.commentId === null) return (await desk.createComment(fullName, home.issueNumber, body)).url;
  const edited = await desk.editComment(fullName, run.commentId, body);
  run.commentGone = edited === "gone";
  // GitHub made one of them after all when it had not answered in time.
  for (const { id } of more) if (id !== run.commentId) await desk.deleteComment(fullName, id);
  return edited === "gone" ? null : edited.url;
}
