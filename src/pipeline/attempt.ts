import type { Sandbox } from "../ports/sandbox.ts";
import type { Attempt, Candidate, Execution, Judgement, Place, Symptom } from "../types.ts";
import type { Executor } from "./deps.ts";
import { judge } from "./judge/judge.ts";
import { validate } from "./validate.ts";

/** What a candidate is tried against; the same for all candidates of a plan. */
export interface Trial {
  symptom: Symptom;
  /** For one execution; a hang's own time takes its place. */
  timeoutSeconds: number;
  /** Import names of the project. */
  packages: string[];
  place: Place;
  /** Seeds to try one after the other while the symptom does not show. One unless the bug shows in some runs only. */
  seeds: readonly [number, ...number[]];
}

/** Seeds for a report: several when it says that the bug shows in some runs only, as many as will confirm it. */
export function seedsFor(intermittent: boolean, runs: number): Trial["seeds"] {
  const more = intermittent ? Array.from({ length: runs - 1 }, (_, index) => index + 1) : [];
  return [0, ...more];
}

/** One pass: validate → execute → judge. A candidate that does not pass validation is not run. */
export async function attempt(
  input: { number: number; candidate: Candidate; trial: Trial },
  deps: { sandbox: Sandbox; execute: Executor },
  signal: AbortSignal,
): Promise<Attempt> {
  const { number, candidate, trial } = input;
  const { symptom, packages, place } = trial;
  const validation = await validate({ candidate, symptom, packages }, place, deps, signal);
  if (!validation.ok) return { number, candidate, validation, execution: null, judgement: null };
  let made = await tryOnce(candidate, trial, trial.seeds[0], deps, signal);
  for (const seed of trial.seeds.slice(1)) {
    if (made.judgement.shows || made.judgement.because !== "ran-clean") break;
    const next = await tryOnce(candidate, trial, seed, deps, signal);
    if (!next.judgement.shows && next.judgement.because !== "ran-clean") break;
    made = next;
  }
  return { number, candidate, validation, ...made };
}

async function tryOnce(
  { source }: Candidate,
  trial: Trial,
  seed: number,
  deps: { execute: Executor },
  signal: AbortSignal,
): Promise<{ execution: Execution; judgement: Judgement }> {
  const execution = await deps.execute({ source, seed, timeoutSeconds: executionSeconds(trial) }, trial.place, signal);
  return { execution, judgement: judge(execution, trial.symptom) };
}

/** How long an execution may take: for a hang as long as it has to be seen hanging. */
export function executionSeconds({ symptom, timeoutSeconds }: Trial): number {
  return symptom.kind === "hang" ? symptom.afterSeconds : timeoutSeconds;
}
