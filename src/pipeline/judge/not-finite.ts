import type { Execution, Judgement, Symptom } from "../../types.ts";
import { no, readObservation, toNumber } from "./shared.ts";

/** A NaN or an infinity anywhere in the observation. */
export function judgeNotFinite(execution: Execution, symptom: Extract<Symptom, { kind: "not-finite" }>): Judgement {
  const read = readObservation(execution, symptom.observation);
  if (!("value" in read)) return read;
  const numbers = flatten(read.value)
    .map(toNumber)
    .filter((number) => number !== null);
  if (numbers.length === 0) return no("not-observed", `the observation ${symptom.observation} holds no numbers`);
  const wrong = numbers.filter((number) => !Number.isFinite(number)).length;
  return wrong > 0
    ? { shows: true, evidence: `${wrong} of ${numbers.length} numbers of ${symptom.observation} are not finite` }
    : no("ran-clean", `all ${numbers.length} numbers of ${symptom.observation} are finite`);
}

function flatten(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(flatten);
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(flatten);
  return [value];
}
