import type { LanguageModel } from "../ports/language-model.ts";
import { fromTriage } from "./decide-verdict.ts";
import { type Ended, type Pursuit, reportOf } from "./finding.ts";
import { restructure } from "./restructure.ts";

/** Puts the model's reading of the report in the place of the program's. Null when it is a bug that can be tried. */
export async function restate(
  { job, finding }: Pursuit,
  deps: { languageModel: LanguageModel },
  signal: AbortSignal,
): Promise<Ended | null> {
  const { read, symptom } = reportOf(finding);
  const { report, triage } = await restructure({ issue: job.issue, read, symptom, hint: job.hint }, deps, signal);
  finding.report = report;
  finding.restructured = true;
  return triage.is === "bug" ? null : fromTriage(triage);
}
