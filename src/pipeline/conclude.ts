import type { ReproduceJob } from "../job.ts";
import type { Outcome } from "../outcome.ts";
import type { Attempt } from "../types.ts";
import type { Ended, Finding } from "./finding.ts";
import { observationsOf } from "./plan.ts";
import type { Run } from "./run.ts";

/** Characters of output that an outcome keeps, from the end. */
const logCharacters = 6000;
const observationCharacters = 4000;

/** Puts what was found into the outcome. */
export function conclude(
  input: { job: ReproduceJob; finding: Finding; ended: Ended; sandbox: string },
  run: Pick<Run, "spent" | "elapsedMs">,
): Outcome {
  const { job, finding, ended, sandbox } = input;
  const { issue } = job;
  const { checkout, environment, report, confirmation } = finding;
  const best = finding.shown ?? bestSoFar(finding.attempts);
  return {
    version: 1,
    ...ended,
    issue: { repository: issue.repository, number: issue.number, title: issue.title, url: issue.url },
    project: checkout && { label: checkout.label, commit: checkout.commit, leftOut: checkout.leftOut.length },
    reported: { observed: report?.observed || report?.problem || issue.title, expected: report?.expected ?? "" },
    symptom: finding.symptom,
    script: finding.minimised ?? best?.candidate.source ?? null,
    scriptFrom: best?.candidate.from ?? null,
    evidence: evidenceOf(best),
    observed: observedBy(best, finding),
    runs: { total: confirmation?.runs ?? 0, shown: confirmation?.shown ?? 0 },
    contrasts: confirmation?.contrasts ?? [],
    environment: environment && {
      pythonVersion: environment.pythonVersion,
      sandbox,
      packages: environment.packages,
      substitutions: environment.substitutions,
      projectInstalled: environment.projectInstalled,
    },
    log: (finding.installLog ?? outputOf(best)).slice(-logCharacters),
    spent: { durationMs: run.elapsedMs(), ...run.spent },
  };
}

/** The attempt that came nearest: another failure in the project before a clean run before what never got there. */
function bestSoFar(attempts: readonly Attempt[]): Attempt | null {
  const rank = ({ judgement }: Attempt) => {
    if (judgement === null) return 0;
    if (judgement.shows) return 4;
    if (judgement.because === "different-symptom") return 3;
    return judgement.because === "ran-clean" ? 2 : 1;
  };
  return attempts.reduce<Attempt | null>(
    (best, each) => (best === null || rank(each) > rank(best) ? each : best),
    null,
  );
}

function evidenceOf(attempt: Attempt | null): string | null {
  const judgement = attempt?.judgement ?? null;
  if (judgement === null) return null;
  return judgement.shows ? judgement.evidence : judgement.explanation;
}

/** Of what else was observed, only what is short enough to read. */
function observedBy(attempt: Attempt | null, { symptom }: Finding): Outcome["observed"] {
  const needed = symptom === null ? [] : observationsOf(symptom);
  const isKept = ([name, value]: [string, unknown]) =>
    needed.includes(name) || JSON.stringify(value).length <= observationCharacters;
  return Object.fromEntries(Object.entries(attempt?.execution?.observed ?? {}).filter(isKept));
}

function outputOf(attempt: Attempt | null): string {
  if (attempt?.execution === undefined || attempt.execution === null) return "";
  return [attempt.execution.stdout, attempt.execution.stderr].filter((text) => text.trim() !== "").join("\n");
}
