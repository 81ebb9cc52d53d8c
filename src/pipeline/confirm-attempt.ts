import type { Attempt, Confirmation, Symptom } from "../types.ts";
import type { Trial } from "./attempt.ts";
import { contrastNeeded, repeat } from "./confirm.ts";
import { contrast, type TriedContrast } from "./contrast.ts";
import { fromAttempts, fromConfirmation } from "./decide-verdict.ts";
import type { RunDeps } from "./deps.ts";
import type { Ended, Ground, Pursuit } from "./finding.ts";
import { matchingException } from "./judge/exception.ts";
import { shortName } from "./judge/shared.ts";
import { minimise } from "./minimise.ts";

/** Confirms the attempt that showed the symptom: repeats it, contrasts it, and shortens it when that held. */
export async function confirmAttempt(
  pursuit: Pursuit,
  ground: Ground,
  deps: RunDeps,
  signal: AbortSignal,
): Promise<Ended> {
  const { finding, run, job } = pursuit;
  const { shown, report } = finding;
  const execution = shown?.execution ?? null;
  if (shown === null || execution === null || report === null || finding.trial === null)
    return fromAttempts([], null, "");
  const needed = contrastNeeded(finding.trial.symptom, execution);
  const trial = { ...finding.trial, symptom: sharpen(finding.trial.symptom, shown) };

  const repeated = await run.stage(
    "confirm",
    () =>
      repeat(
        { attempt: shown, trial, runs: job.runs },
        { ...deps, onRun: (n) => run.note(`run ${n} of ${job.runs}`) },
        signal,
      ),
    (result) => `${result.shown} of ${result.runs} runs`,
  );
  const confirmation: Confirmation = { ...repeated, contrasts: [] };
  finding.confirmation = confirmation;
  if (repeated.shown === 0) return fromConfirmation(confirmation, needed);

  const evidence = shown.judgement?.shows ? shown.judgement.evidence : "";
  const { source } = shown.candidate;
  const { context } = ground;
  const { contrastRef, source: repository } = job;
  const seeds = [execution.seed, ...range(job.runs).filter((seed) => seed !== execution.seed)];
  const tried = await run.stage(
    "contrast",
    () => contrast({ source, evidence, needed, report, context, trial, repository, contrastRef, seeds }, deps, signal),
    (all) => all.find((each) => each.contrast.flips)?.contrast.description ?? `${all.length} tried, none flips`,
  );
  confirmation.contrasts = tried.map((each) => each.contrast);
  run.record({ event: "confirmation", confirmation });

  const ended = fromConfirmation(confirmation, needed);
  if (ended.verdict === "reproduced" && trial.symptom.kind !== "hang") {
    finding.minimised = await run.stage(
      "minimise",
      () => minimise({ source, trial, contrastTrial: contrastTrial(trial, tried), runs: job.runs }, deps, signal),
      (shorter) => `${lineCount(source)} lines to ${lineCount(shorter)}`,
    );
  }
  return ended;
}

/** What a report only called an error is, from now on, the one that was seen. */
function sharpen(symptom: Symptom, { execution }: Attempt): Symptom {
  if (symptom.kind !== "exception" || symptom.type !== null || execution?.ending.how !== "exception") return symptom;
  const raised = matchingException(execution.ending.chain, symptom);
  if (raised === undefined) return symptom;
  return { ...symptom, type: shortName(raised.type), message: raised.message.split("\n")[0] ?? null };
}

function contrastTrial(trial: Trial, tried: readonly TriedContrast[]): Trial | null {
  const place = tried.find((each) => each.contrast.flips && each.place !== null)?.place ?? null;
  return place && { ...trial, place };
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

function lineCount(source: string): number {
  return source.trimEnd().split("\n").length;
}
