import type { Attempt, Confirmation, Contrast, Execution, Symptom } from "../types.ts";
import { executionSeconds, type Trial } from "./attempt.ts";
import type { Executor } from "./deps.ts";
import { matchingException } from "./judge/exception.ts";
import { judge } from "./judge/judge.ts";
import { responsibleFrame } from "./judge/shared.ts";

/**
 * Repeats an attempt that showed the symptom, with seeds 0 to `runs` - 1; the attempt itself is one of these runs.
 * A hang is run once more with twice its time: what ends then was only slow, and none of the runs counts.
 */
export async function repeat(
  input: { attempt: Attempt; trial: Trial; runs: number },
  deps: { execute: Executor; onRun: (run: number) => void },
  signal: AbortSignal,
): Promise<Pick<Confirmation, "runs" | "shown">> {
  const { attempt, trial, runs } = input;
  const { source } = attempt.candidate;
  let shown = attempt.judgement?.shows ? 1 : 0;
  const seeds = Array.from({ length: runs }, (_, seed) => seed).filter((seed) => seed !== attempt.execution?.seed);
  for (const seed of seeds) {
    deps.onRun(seed + 1);
    const execution = await deps.execute(
      { source, seed, timeoutSeconds: executionSeconds(trial) },
      trial.place,
      signal,
    );
    if (judge(execution, trial.symptom).shows) shown += 1;
  }
  if (trial.symptom.kind === "hang") {
    const patient = { source, seed: attempt.execution?.seed ?? 0, timeoutSeconds: 2 * executionSeconds(trial) };
    const execution = await deps.execute(patient, trial.place, signal);
    if (!judge(execution, trial.symptom).shows) shown = 0;
  }
  return { runs, shown };
}

/**
 * What must make the symptom go away before it is called reproduced: `project` a change of the project's code or
 * another ref; `any` that, or a neighbouring configuration; `none` where the failing frame already names the project.
 */
export function contrastNeeded(symptom: Symptom, execution: Execution): "project" | "any" | "none" {
  switch (symptom.kind) {
    case "exception":
      if (isRefusal(execution)) return "project";
      if (!isSaidExactly(execution, symptom)) return "any";
      return symptom.type === null || (symptom.message === null && symptom.where === null) ? "any" : "none";
    case "crash":
      return diedInProject(execution) ? "none" : "any";
    case "hang":
      return "any";
    case "warning":
      if (symptom.category === null && symptom.message === null) return "project";
      return execution.warnings.some((warning) => warning.in === "project") ? "none" : "project";
    default:
      return "project";
  }
}

/** Is the message the reported one, its numbers too? Others are those of another case, until something speaks for it. */
function isSaidExactly({ ending }: Execution, symptom: Extract<Symptom, { kind: "exception" }>): boolean {
  if (symptom.message === null || ending.how !== "exception") return true;
  const plain = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase();
  const matching = matchingException(ending.chain, symptom);
  return matching === undefined || plain(matching.message).includes(plain(symptom.message));
}

/** Did the project raise on purpose, as where it refuses what it is given? That it does so is no bug by itself. */
function isRefusal({ ending }: Execution): boolean {
  const frame = ending.how === "exception" && ending.chain[0] !== undefined ? responsibleFrame(ending.chain[0]) : null;
  return /^\s*(raise|assert)\b/.test(frame?.code ?? "");
}

function diedInProject({ ending }: Execution): boolean {
  if (ending.how !== "signal") return false;
  return ending.stack.findLast((frame) => frame.in !== "library")?.in === "project";
}

/** Is there a contrast that flips and is of the kind that is needed? */
export function isContrasted(needed: "project" | "any" | "none", contrasts: readonly Contrast[]): boolean {
  if (needed === "none") return true;
  return contrasts.some(({ flips, by }) => flips && (needed === "any" || by !== "neighbouring-configuration"));
}
