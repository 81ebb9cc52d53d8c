import { BudgetFault, EnvironmentFault } from "../errors.ts";
import type { Attempt, Confirmation, Contrast, Environment, Triage } from "../types.ts";
import { isContrasted } from "./confirm.ts";
import type { Ended } from "./finding.ts";

/** The verdict of a report that is not tried. */
export function fromTriage(triage: Exclude<Triage, { is: "bug" }>): Ended {
  switch (triage.is) {
    case "not-a-bug":
      return { verdict: "not-a-bug", reason: triage.why };
    case "needs-information":
      return { verdict: "needs-information", reason: triage.missing };
    case "unsupported-environment":
      return { verdict: "unsupported-environment", reason: triage.needs };
  }
}

/** The verdict once a script has shown the symptom, was repeated, and contrasts were tried. */
export function fromConfirmation(confirmation: Confirmation, needed: "project" | "any" | "none"): Ended {
  const { runs, shown, contrasts } = confirmation;
  if (shown === 0) {
    return {
      verdict: "not-reproduced",
      reason: "It did not end in the time that a hang gets, but it did in twice that time.",
    };
  }
  if (!isContrasted(needed, contrasts)) {
    const tried =
      contrasts.length === 0 ? "nothing to compare it with was found" : "nothing that was tried makes it go away";
    return {
      verdict: "not-reproduced",
      reason: `A script shows the symptom, but ${tried}, so it may be the script's doing and is not called reproduced.`,
    };
  }
  const flipping = contrasts.find(({ flips }) => flips);
  const contrasted = flipping === undefined ? "" : ` It goes away ${flipPhrase(flipping)}.`;
  if (shown < runs) {
    return {
      verdict: "flaky",
      reason: `The symptom shows in ${shown} of ${runs} runs with different seeds.${contrasted}`,
    };
  }
  return { verdict: "reproduced", reason: `The symptom shows in ${shown} of ${runs} runs.${contrasted}` };
}

/** `with …`, `without …` or `in …`: how the symptom goes away. */
export function flipPhrase({ by, description }: Pick<Contrast, "by" | "description">): string {
  if (by === "neighbouring-configuration") return description;
  return by === "other-ref" ? `in ${description}` : `with ${description}`;
}

/**
 * The verdict when no attempt has shown the symptom. Where something that the project requires could not be installed
 * and is what scripts fail by, the environment is to blame.
 */
export function fromAttempts(attempts: readonly Attempt[], environment: Environment | null, modelNote: string): Ended {
  const judgements = attempts.flatMap(({ judgement }) => (judgement === null || judgement.shows ? [] : [judgement]));
  const note = modelNote === "" ? "" : ` ${modelNote}`;
  const clean = judgements.findLast(({ because }) => because === "ran-clean");
  if (clean !== undefined) {
    return { verdict: "not-reproduced", reason: `The reported symptom does not show: ${clean.explanation}.${note}` };
  }
  const different = judgements.findLast(({ because }) => because === "different-symptom");
  if (different !== undefined) {
    return { verdict: "different-symptom", reason: `It fails, but not as reported: ${different.explanation}.${note}` };
  }
  const lacking = environment === null ? null : missingRequirement(attempts, environment);
  if (lacking !== null) {
    return {
      verdict: "unsupported-environment",
      reason: `The project needs ${lacking.wanted}: ${lacking.reason}.${note}`,
    };
  }
  const pretended = attempts.find(
    ({ validation }) => !validation.ok && validation.problems.some(({ kind }) => kind === "mimic"),
  );
  const last = judgements.at(-1);
  if (last !== undefined || pretended !== undefined) {
    const why = last?.explanation ?? "the script brings about the symptom itself, without the project's code";
    return {
      verdict: "not-reproduced",
      reason: `No script got as far as showing or ruling out the symptom: ${why}.${note}`,
    };
  }
  const problem = attempts.flatMap(({ validation }) => (validation.ok ? [] : validation.problems))[0]?.message;
  const because = problem === undefined ? "." : `: ${problem.replace(/\.$/, "")}.`;
  return { verdict: "failed", reason: `No script could be run${because}${note}` };
}

/** What could not be installed, and the last script failed to import. */
function missingRequirement(attempts: readonly Attempt[], { substitutions }: Environment) {
  const ending = attempts.at(-1)?.execution?.ending;
  if (ending?.how !== "exception") return null;
  const missing = /^No module named '(\w+)/.exec(ending.chain[0]?.message ?? "")?.[1];
  const named = ({ wanted }: { wanted: string }) => /^[\w-]+/.exec(wanted)?.[0].replaceAll("-", "_") === missing;
  return substitutions.find((each) => each.got === "not installed" && named(each)) ?? null;
}

/** The verdict when the run was cut short. Anything that is not a fault of ours has a verdict of its own. */
export function fromError(error: unknown, cancelled: boolean): Ended {
  if (cancelled) return { verdict: "cancelled", reason: "The run was cancelled." };
  if (error instanceof BudgetFault) return { verdict: "budget-exhausted", reason: error.message };
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return { verdict: "budget-exhausted", reason: "The time for this issue is used up." };
  }
  if (error instanceof EnvironmentFault) {
    return { verdict: "unsupported-environment", reason: error.message };
  }
  return { verdict: "failed", reason: error instanceof Error ? error.message : String(error) };
}
