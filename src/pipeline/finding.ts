import type { ReproduceJob } from "../job.ts";
import type { IndexKey } from "../ports/lexical-index.ts";
import type {
  Attempt,
  Checkout,
  Confirmation,
  Context,
  Environment,
  Place,
  Report,
  Symptom,
  Verdict,
} from "../types.ts";
import type { Trial } from "./attempt.ts";
import type { Run } from "./run.ts";

/** What a run knows so far. Filled in as stages end, so that whatever ends the run, the best so far is told. */
export interface Finding {
  report: Report | null;
  /** Has a model restated the report? */
  restructured: boolean;
  checkout: Checkout | null;
  environment: Environment | null;
  symptom: Symptom | null;
  attempts: Attempt[];
  /** The attempt that showed the symptom. */
  shown: Attempt | null;
  /** What `shown` was tried against. */
  trial: Trial | null;
  confirmation: Confirmation | null;
  /** Shorter form of what `shown` ran; null when it was not shortened. */
  minimised: string | null;
  /** Installer's log when no environment could be built. */
  installLog: string | null;
}

export function emptyFinding(): Finding {
  return {
    report: null,
    restructured: false,
    checkout: null,
    environment: null,
    symptom: null,
    attempts: [],
    shown: null,
    trial: null,
    confirmation: null,
    minimised: null,
    installLog: null,
  };
}

/** The report, which the first stage reads before any other asks for it. */
export function reportOf({ report }: Finding): Report {
  if (report === null) throw new TypeError("the report has not been read yet");
  return report;
}

/** How a run ends: the verdict, and why in a sentence or two. */
export interface Ended {
  verdict: Verdict;
  reason: string;
}

/** What the stages of a run share: what it was asked, what it knows, and its record. */
export interface Pursuit {
  job: ReproduceJob;
  finding: Finding;
  run: Run;
}

/** What candidates are written for and run on. */
export interface Ground {
  place: Place;
  context: Context;
  key: IndexKey;
  seeds: Trial["seeds"];
}

/** Keeps an attempt; one that shows the symptom is what the run is about from then on. */
export function keepAttempt({ finding, run }: Pursuit, attempt: Attempt, trial: Trial): void {
  finding.attempts.push(attempt);
  finding.symptom = trial.symptom;
  run.spent.attempts += 1;
  const { execution: _, ...rest } = attempt;
  run.record({ event: "attempt", attempt: rest });
  run.note(tellAttempt(attempt));
  if (attempt.judgement?.shows) {
    finding.shown = attempt;
    finding.trial = trial;
  }
}

function tellAttempt({ number, validation, judgement }: Attempt): string {
  if (!validation.ok) return `attempt ${number}: not run: ${validation.problems[0]?.message ?? ""}`;
  if (judgement === null) return `attempt ${number}: not judged`;
  return judgement.shows
    ? `attempt ${number}: shows: ${judgement.evidence}`
    : `attempt ${number}: ${judgement.explanation}`;
}
