import type { Execution, Judgement, Symptom } from "../../types.ts";
import { judgeCrash } from "./crash.ts";
import { judgeException } from "./exception.ts";
import { judgeHang } from "./hang.ts";
import { judgeMetric } from "./metric.ts";
import { judgeNotFinite } from "./not-finite.ts";
import { judgeResource } from "./resource.ts";
import { explainEnding, no } from "./shared.ts";
import { judgeWarning } from "./warning.ts";
import { judgeWrongValue } from "./wrong-value.ts";

/**
 * Does the execution show the symptom? Decided from what the harness saw; what the script printed does not count.
 * A symptom that shows without the project's code having run does not count either.
 */
export function judge(execution: Execution, symptom: Symptom): Judgement {
  const judgement = byKind(execution, symptom);
  if (!judgement.shows) return judgement;
  if (execution.project.replaced.length > 0) {
    return no("not-the-project", `the script replaced ${execution.project.replaced.slice(0, 3).join(", ")}`);
  }
  if (execution.project.entered.length === 0 && execution.project.imported.length === 0) {
    return no("not-the-project", "the symptom showed, but no code of the project was imported from the checkout");
  }
  if (!isLoud(symptom) && execution.project.entered.length === 0) {
    return no("not-the-project", "the observation was made without any function of the project having run");
  }
  return judgement;
}

function byKind(execution: Execution, symptom: Symptom): Judgement {
  switch (symptom.kind) {
    case "exception":
      return judgeException(execution, symptom);
    case "crash":
      return judgeCrash(execution, symptom);
    case "hang":
      return judgeHang(execution, symptom);
    case "warning":
      return judgeWarning(execution, symptom);
    default:
      if (execution.ending.how !== "completed" || execution.ending.exitCode !== 0) return explainEnding(execution);
      return byObservation(execution, symptom);
  }
}

type ObservedSymptom = Extract<Symptom, { observation: string }>;

function byObservation(execution: Execution, symptom: ObservedSymptom): Judgement {
  switch (symptom.kind) {
    case "not-finite":
      return judgeNotFinite(execution, symptom);
    case "wrong-value":
      return judgeWrongValue(execution, symptom);
    case "metric":
      return judgeMetric(execution, symptom);
    case "resource":
      return judgeResource(execution, symptom);
  }
}

/** Loud symptoms end or interrupt the program; silent ones are seen only in an observation. */
export function isLoud(symptom: Symptom): boolean {
  return ["exception", "crash", "hang", "warning"].includes(symptom.kind);
}
