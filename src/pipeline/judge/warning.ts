import type { Execution, Judgement, Symptom } from "../../types.ts";
import { messageMatches } from "./exception.ts";
import { explainEnding, no, shortName } from "./shared.ts";

/** The reported warning was issued, and not by a line of the script itself. How the script ended does not matter. */
export function judgeWarning(execution: Execution, symptom: Extract<Symptom, { kind: "warning" }>): Judgement {
  const matching = execution.warnings.filter(
    (warning) =>
      (symptom.category === null ||
        [shortName(warning.category), ...warning.bases].includes(shortName(symptom.category))) &&
      (symptom.message === null || messageMatches(warning.message, symptom.message)),
  );
  const fromElsewhere = matching.find((warning) => warning.in !== "script");
  if (fromElsewhere !== undefined) {
    const { category, message, file, line } = fromElsewhere;
    return { shows: true, evidence: `${shortName(category)}: ${message.slice(0, 300)} at ${file}:${line}` };
  }
  if (matching.length > 0) return no("set-up", "the warning was issued by the script's own code");
  if (execution.ending.how !== "completed" || execution.ending.exitCode !== 0) return explainEnding(execution);
  return no("ran-clean", "the script ran to its end without that warning");
}
