import { ForgeFault } from "../errors.ts";
import { cleanText } from "../issue/clean-text.ts";
import type { Desk } from "../ports/desk.ts";
import type { RunOptions } from "./command.ts";
import { composeOverLimit, composeProgress, composeWrongSettings, marker } from "./compose.ts";
import { type Delivery, timeOf } from "./delivery.ts";
import type { BotDeps } from "./deps.ts";
import type { FoundSettings } from "./find-settings.ts";
import { jobOf } from "./job-of.ts";
import { admitRun } from "./limits.ts";
import { pinText } from "./pin-text.ts";
import { ensureComment, reply } from "./reply.ts";
import { issueKey, replyWithStatus } from "./tell-status.ts";
import type { IssueRecord, RunRequest } from "./types.ts";

export interface Asked {
  kind: RunRequest["trigger"]["kind"];
  /** Null takes those of the issue's last run when it is tried again, and the settings' otherwise. */
  options: RunOptions | null;
  hint: string | null;
}

const wrongSettingsSeconds = 30 * 24 * 3600;

/** Starts a run of the issue, unless one is under way: then its status is the answer. */
export async function startRun(
  asked: Asked,
  delivery: Delivery,
  settings: FoundSettings,
  deps: BotDeps,
): Promise<void> {
  await deps.ledger.withIssue(issueKey(delivery), (record, keep) =>
    startOn({ record, keep }, asked, delivery, settings, deps),
  );
}

/** The same for one who is at the issue already. */
export async function startOn(
  { record, keep }: { record: IssueRecord; keep: () => Promise<void> },
  asked: Asked,
  delivery: Delivery,
  settings: FoundSettings,
  deps: BotDeps,
): Promise<void> {
  const runId = runIdOf(delivery);
  if (record.last?.request.runId === runId) return;
  if (record.run !== null && record.run.request.runId !== runId) return await replyWithStatus(record, delivery, deps);
  if (record.run === null && timeOf(delivery) < (record.cancelledAt ?? "")) return;
  if (settings.wrong !== null) return await tellWrongSettings(settings.wrong, delivery, deps);

  if (record.run === null) {
    const home = homeOf(delivery);
    const request = await buildRequest(runId, asked, delivery, settings, record, deps);
    const over = await admitRun(request, deps.daily, deps.ledger, deps.now());
    if (over !== null) return await reply(composeOverLimit(over.what, over.until), delivery, deps);
    record.home = home;
    record.run = {
      request,
      commentId: null,
      commentGone: false,
      told: "",
      counted: { tokens: 0, gpuSeconds: 0 },
      heard: null,
    };
    record.awaitsReporter = false;
    if (asked.kind === "answer") record.answers += 1;
    else {
      record.answers = 0;
      record.asked = [];
    }
  }
  // A worker that is idle has the run a moment after it is in the queue, and looks here whose it is.
  await keep();
  const { run } = record;
  const { full_name: repository } = delivery.repository;
  const desk = deps.desk.of(delivery.installation.id);
  const commandId = delivery.event === "issue_comment" ? (delivery.comment?.id ?? null) : null;
  await acknowledge(desk, repository, { issue: delivery.issue.number, comment: commandId });
  if (run.commentId === null) {
    const body = composeProgress(run.request, null);
    run.commentId = (await ensureComment(body, marker("run", runId), delivery, deps)).id;
    run.told = body;
    await keep();
  }
  await deps.queue.add(jobOf(run.request), run.request, { id: runId, priority: await turnOf(run.request, deps) });
  deps.counters.runStarted(asked.kind);
  deps.log.info({ delivery: delivery.guid, run: runId, repository, issue: delivery.issue.number }, "run asked for");
}

/** A sign that is nice to have: where GitHub refuses it, all goes on without. */
export async function acknowledge(
  desk: Desk,
  repository: string,
  to: { issue: number; comment: number | null },
): Promise<void> {
  await desk.react(repository, to, "eyes").catch((error: unknown) => {
    if (!(error instanceof ForgeFault) || error.retryable) throw error;
  });
}

/** A delivery starts one run at most, however often it is looked at. */
export function runIdOf({ guid }: Pick<Delivery, "guid">): string {
  return `run-${guid}`;
}

/** The delivery that a run came from. */
export function guidOf({ runId }: Pick<RunRequest, "runId">): string {
  return runId.slice("run-".length);
}

/** A repository's runs take turns with the others': its second one comes after the first ones of all. */
async function turnOf({ home }: RunRequest, { ledger }: BotDeps): Promise<number> {
  const open = await ledger.openIssues();
  return 1 + open.filter((key) => key.startsWith(`${home.repository.id}/`)).length;
}

async function buildRequest(
  runId: string,
  { kind, options, hint }: Asked,
  delivery: Delivery,
  settings: FoundSettings,
  record: IssueRecord,
  deps: BotDeps,
): Promise<RunRequest> {
  const again = kind === "retry" || kind === "answer" ? (record.last?.request ?? null) : null;
  const { issue, pinned } = await pinText(delivery, deps);
  const { budgets } = settings;
  const at = deps.now().toISOString();
  return {
    runId,
    home: homeOf(delivery),
    issue,
    pinned,
    trigger: { kind, by: delivery.sender.login, at },
    ref: options?.ref ?? again?.ref ?? null,
    python: options?.python ?? again?.python ?? settings.python,
    withPackages: [...new Set([...settings.packages, ...(options?.withPackages ?? again?.withPackages ?? [])])],
    gpu: options?.gpu ?? again?.gpu ?? settings.gpu,
    runs: options?.runs ?? again?.runs ?? settings.runs,
    model: options?.model ?? again?.model ?? null,
    hint: cleanText(hint ?? again?.hint ?? "").trim() || null,
    limits: {
      maxTokens: Math.min(deps.limits.maxTokens, budgets.tokens ?? Number.POSITIVE_INFINITY),
      maxAttempts: Math.min(deps.limits.maxAttempts, budgets.attempts ?? Number.POSITIVE_INFINITY),
      maxDurationMs: Math.min(deps.limits.maxDurationMs, (budgets.minutes ?? Number.POSITIVE_INFINITY) * 60_000),
    },
    setup: settings.setup,
    network: settings.network,
    test: settings.test,
    leaveOut: settings.leaveOut,
    labels: { trigger: settings.label, outcomes: settings.labels },
  };
}

export function homeOf({ installation, repository, issue }: Delivery): RunRequest["home"] {
  return {
    installationId: installation.id,
    repository: { id: repository.id, fullName: repository.full_name, private: repository.private },
    issueNumber: issue.number,
  };
}

/** Once for a state of the file, not at every event. */
async function tellWrongSettings(
  { sha, problems }: { sha: string; problems: string[] },
  delivery: Delivery,
  deps: BotDeps,
): Promise<void> {
  const name = `wrong-settings-${delivery.repository.id}`;
  if ((await deps.ledger.note(name)) === sha) return;
  await ensureComment(composeWrongSettings(problems, sha), marker("settings", sha), delivery, deps);
  await deps.ledger.putNote(name, sha, wrongSettingsSeconds);
}
