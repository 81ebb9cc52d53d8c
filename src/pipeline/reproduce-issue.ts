import { rm } from "node:fs/promises";
import { EnvironmentFault, Fault } from "../errors.ts";
import type { ReproduceJob } from "../job.ts";
import type { Outcome } from "../outcome.ts";
import { makeTemporaryFolder } from "../temporary-folder.ts";
import { conclude } from "./conclude.ts";
import { fromError } from "./decide-verdict.ts";
import type { Deps, RunDeps } from "./deps.ts";
import { execute } from "./execute.ts";
import { type Ended, emptyFinding } from "./finding.ts";
import { executionKey, payOnce } from "./paid.ts";
import { pursueIssue } from "./pursue-issue.ts";
import { type Run, startRun, type TrajectoryEvent } from "./run.ts";

/** The record of a run, whatever came of it. */
export interface Trajectory {
  version: 1;
  job: ReproduceJob;
  events: TrajectoryEvent[];
  outcome: Outcome;
  /** Did a fault end it that can pass, so that the same run may come to more later. */
  retryable: boolean;
}

/**
 * Runs one issue from report to outcome. Never rejects: what goes wrong becomes the verdict, with the best so far.
 * When `signal` aborts, the sandbox is killed and the verdict is `cancelled`.
 */
export async function reproduceIssue(job: ReproduceJob, deps: Deps, signal: AbortSignal): Promise<Trajectory> {
  const run = startRun(job.limits, deps.onProgress);
  const finding = emptyFinding();
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(job.limits.maxDurationMs)]);
  let workDirectory: string | null = null;
  let ended: Ended;
  let retryable = false;
  try {
    workDirectory = await makeTemporaryFolder("run");
    ended = await pursueIssue({ job, finding, run }, runDeps(deps, run, workDirectory), inTime);
  } catch (error) {
    ended = fromError(error, signal.aborted);
    retryable = ended.verdict === "failed" && error instanceof Fault && error.retryable;
    if (error instanceof EnvironmentFault) finding.installLog = error.log;
    deps.log[ended.verdict === "failed" ? "error" : "info"]({ err: error, verdict: ended.verdict }, "run cut short");
  } finally {
    if (workDirectory !== null) await rm(workDirectory, { recursive: true, force: true });
  }
  const outcome = conclude({ job, finding, ended, sandbox: deps.sandbox.description }, run);
  deps.log.info({ verdict: outcome.verdict, ...outcome.spent }, "run ended");
  return { version: 1, job, events: run.events, outcome, retryable };
}

function runDeps(deps: Deps, run: Run, workDirectory: string): RunDeps {
  const { sandbox, index, pip, repositoryAccess, cacheDirectory, languageModel, paid } = deps;
  return {
    sandbox,
    index,
    pip,
    repositoryAccess,
    cacheDirectory,
    workDirectory,
    languageModel: languageModel && run.meter(payOnce(languageModel, paid)),
    async execute(input, place, signal) {
      run.checkTime();
      run.spent.executions += 1;
      const execution = await paid.once(executionKey(input, place), () => execute(input, place, { sandbox }, signal));
      run.record({ event: "execution", source: input.source, execution });
      return execution;
    },
    onProgress: run.note,
  };
}
