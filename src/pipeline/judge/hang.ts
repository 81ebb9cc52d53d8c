import type { Execution, Judgement, Symptom } from "../../types.ts";
import { explainEnding, no } from "./shared.ts";

/** It did not end within the time, and the project's code was running when it was stopped. */
export function judgeHang(execution: Execution, symptom: Extract<Symptom, { kind: "hang" }>): Judgement {
  const { ending } = execution;
  if (ending.how !== "timeout") return explainEnding(execution);
  const frames = ending.stack.filter((each) => each.in === "project");
  // The line, and whether it is within a comprehension, are a matter of when it was stopped.
  const frame = frames.findLast((each) => !each.function.startsWith("<")) ?? frames.at(-1);
  if (frame === undefined) return no("not-the-project", "it did not end in time, but not in the project's code");
  return {
    shows: true,
    evidence: `still running after ${symptom.afterSeconds} s, in ${frame.file} (${frame.function})`,
  };
}
