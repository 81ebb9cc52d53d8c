import type { LanguageModel } from "../ports/language-model.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import type { Attempt, Context, Plan, Report } from "../types.ts";
import { attempt, type Trial } from "./attempt.ts";
import type { Executor } from "./deps.ts";
import { generate } from "./generate.ts";

/** After so many candidates that ran to their end without the symptom, more of the same say nothing new. */
const enoughCleanRuns = 2;

/**
 * The loop: generate → validate → execute → judge, until one shows the symptom, enough ran clean, or the attempts are
 * used up. Returns all attempts, earlier ones included, the decisive one last.
 */
export async function pursuePlan(
  input: { report: Report; plan: Plan; context: Context; trial: Trial; earlier: Attempt[]; maxAttempts: number },
  deps: {
    languageModel: LanguageModel;
    sandbox: Sandbox;
    execute: Executor;
    onAttempt: (attempt: Attempt) => void;
  },
  signal: AbortSignal,
): Promise<Attempt[]> {
  const { report, plan, context, trial, earlier, maxAttempts } = input;
  const attempts = [...earlier];
  let problem: string | null = null;
  for (let asked = 0; asked < maxAttempts; asked++) {
    const { environment } = trial.place;
    const generated = await generate({ report, plan, context, environment, attempts, problem }, deps, signal);
    problem = generated.ok ? repeats(generated.candidate.source, attempts) : generated.problem;
    if (!generated.ok || problem !== null) continue;
    const number = attempts.length + 1;
    const made = await attempt({ number, candidate: generated.candidate, trial }, deps, signal);
    attempts.push(made);
    deps.onAttempt(made);
    if (made.judgement?.shows || cleanRuns(attempts) >= enoughCleanRuns) break;
  }
  return attempts;
}

function repeats(source: string, attempts: readonly Attempt[]): string | null {
  const same = attempts.find(({ candidate }) => candidate.source.trim() === source.trim());
  return same === undefined ? null : `Your last answer was script ${same.number} again.`;
}

function cleanRuns(attempts: readonly Attempt[]): number {
  return attempts.filter(
    ({ candidate, judgement }) =>
      candidate.from === "model" && judgement !== null && !judgement.shows && judgement.because === "ran-clean",
  ).length;
}
