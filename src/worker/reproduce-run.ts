import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findUsedUp } from "../bot/limits.ts";
import type { RunRequest } from "../bot/types.ts";
import { LimitFault, WorkerFault } from "../errors.ts";
import type { ReproduceJob } from "../job.ts";
import { jobs } from "../jobs.ts";
import { reproduceIssue, type Trajectory } from "../pipeline/reproduce-issue.ts";
import { askForToken } from "./ask-for-token.ts";
import type { WorkerDeps } from "./deps.ts";
import { recallPaid } from "./recall-paid.ts";
import { type Watcher, watchRun } from "./watch-run.ts";

/** A day's limit that is used up is looked at again so often: its operator may have raised it. */
const lookAgainMs = 600_000;
/** What a run is left with that has lost its workers for too long: to tell what it has. */
const leastShare = 0.1;

/**
 * Runs one request from the queue to an outcome in the queue. A run that was begun before goes on where it was.
 * @throws {LimitFault} what it would use is used up for today.
 * @throws {WorkerFault} a fault that can pass ended it, and there are tries left; whatever `signal` aborted with.
 */
export async function reproduceRun(
  { data: request, tries }: { data: RunRequest; tries: number },
  gpus: readonly string[],
  deps: WorkerDeps,
  signal: AbortSignal,
): Promise<void> {
  const { runId } = request;
  using cancelled = await deps.ledger.cancelSignal(runId);
  const ended = AbortSignal.any([signal, cancelled]);
  const log = deps.log.child({ run: runId, repository: request.home.repository.fullName });
  const before = await deps.ledger.progressOf(runId);
  const watcher = watchRun(request, { gpus: gpus.length, before }, deps);
  const isBegun = before !== null && before.stages.length > 0;
  if (!isBegun && !ended.aborted) await checkLimits(request, watcher, deps);
  const isPrivate = request.home.repository.private && !ended.aborted;
  const token = isPrivate ? await askForToken(request, deps, ended).catch(unlessEnded(ended)) : null;
  const trajectory = await reproduceIssue(
    toJob(request, { gpus, spentMs: before?.durationMs ?? 0 }, deps),
    {
      ...deps.pipeline,
      log,
      languageModel: deps.languageModel(request.model),
      repositoryAccess: token === null ? null : { serverUrl: deps.serverUrl, token },
      paid: await recallPaid(runId, deps.ledger),
      onProgress: watcher.onProgress,
    },
    ended,
  );
  await watcher.written();
  await keep(trajectory, runId, deps);
  if (!cancelled.aborted) signal.throwIfAborted();
  const { outcome, retryable } = trajectory;
  if (retryable && tries + 1 < jobs.reproduce.attempts) {
    deps.counters.fault(outcome.verdict);
    throw new WorkerFault(outcome.reason);
  }
  const { gpuSeconds } = watcher.used();
  await deps.queue.add("outcome", { runId, outcome, gpuSeconds }, { id: `outcome-${runId}` });
}

/** A run that is ended needs no token any more, and says itself what ended it. */
function unlessEnded(ended: AbortSignal): (error: unknown) => null {
  return (error) => {
    if (ended.aborted) return null;
    throw error;
  };
}

/** @throws {LimitFault} */
async function checkLimits(request: RunRequest, watcher: Watcher, { daily, ledger }: WorkerDeps): Promise<void> {
  const held = await findUsedUp(request, daily, ledger, new Date());
  if (held === null) return;
  watcher.hold(held);
  await watcher.written();
  throw new LimitFault(`${held.what} are used up until ${held.until}`, { retryAfterMs: lookAgainMs });
}

function toJob(
  request: RunRequest,
  { gpus, spentMs }: { gpus: readonly string[]; spentMs: number },
  { serverUrl, memoryBytes }: WorkerDeps,
): ReproduceJob {
  const { home, issue, hint, test, limits } = request;
  const maxDurationMs = Math.max(limits.maxDurationMs - spentMs, limits.maxDurationMs * leastShare);
  const { fullName } = home.repository;
  const tests = test === null ? null : `The project's tests are run by: ${test}`;
  return {
    issue: { ...issue, repository: fullName, number: home.issueNumber },
    source: { from: "git", url: `${serverUrl.replace(/\/+$/, "")}/${fullName}.git`, ref: request.ref },
    contrastRef: null,
    python: request.python,
    withPackages: request.withPackages,
    hint: [hint, tests].filter((part) => part !== null).join("\n") || null,
    runs: request.runs,
    limits: { ...limits, maxDurationMs },
    gpus,
    memoryBytes,
    settings: { setup: { commands: request.setup, hosts: request.network }, leaveOut: request.leaveOut },
  };
}

/** For the operator: the whole record, where the worker keeps everything else. */
async function keep(trajectory: Trajectory, runId: string, { pipeline }: WorkerDeps): Promise<void> {
  const folder = join(pipeline.cacheDirectory, "runs", runId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "trajectory.json"), `${JSON.stringify(trajectory, null, 2)}\n`);
}
