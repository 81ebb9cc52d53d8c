import type { Execution, Judgement, Symptom } from "../../types.ts";
import { explainEnding, no } from "./shared.ts";

/** The process died by the reported signal, or by any that a fault of its own sends when none is named. */
export function judgeCrash(execution: Execution, symptom: Extract<Symptom, { kind: "crash" }>): Judgement {
  if (execution.ending.how !== "signal") return explainEnding(execution);
  const { signal } = execution.ending;
  const wanted = symptom.signal === null ? ofItsOwn : [symptom.signal];
  return wanted.includes(signal)
    ? { shows: true, evidence: `the process died by ${signal}` }
    : no("different-symptom", `the process died by ${signal}`);
}

const ofItsOwn = ["SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT"];
