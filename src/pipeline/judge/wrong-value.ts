import { type Execution, type Judgement, relationWords, type Symptom } from "../../types.ts";
import { no, readObservation, show, toNumber } from "./shared.ts";

/** The relation that holds of correct code does not hold of the observation. */
export function judgeWrongValue(execution: Execution, symptom: Extract<Symptom, { kind: "wrong-value" }>): Judgement {
  const left = readObservation(execution, symptom.observation);
  if (!("value" in left)) return left;
  const right =
    "value" in symptom.reference ? symptom.reference : readObservation(execution, symptom.reference.observation);
  if (!("value" in right)) return right;
  const holds = compare(left.value, right.value, symptom);
  if (holds === null) {
    return no(
      "not-observed",
      `${show(left.value)} and ${show(right.value)} cannot be compared by "${symptom.relation}"`,
    );
  }
  const tolerance = symptom.tolerance > 0 ? ` within ${symptom.tolerance}` : "";
  const wanted = `${relationWords[symptom.relation]} ${show(right.value)}${tolerance}`;
  return holds
    ? no("ran-clean", `${symptom.observation} is ${show(left.value)}, as it should be: ${wanted}`)
    : { shows: true, evidence: `${symptom.observation} is ${show(left.value)}; it should be ${wanted}` };
}

type Comparison = Pick<Extract<Symptom, { kind: "wrong-value" }>, "relation" | "tolerance">;

/** Null when the two cannot be compared that way. A NaN equals nothing and is in no order. */
function compare(left: unknown, right: unknown, { relation, tolerance }: Comparison): boolean | null {
  if (relation === "equals") return equal(left, right, tolerance);
  if (relation === "differs") return !equal(left, right, tolerance);
  const [a, b] = [toNumber(left), toNumber(right)];
  if (a === null || b === null) return null;
  switch (relation) {
    case "less":
      return a < b + tolerance;
    case "at-most":
      return a <= b + tolerance;
    case "greater":
      return a > b - tolerance;
    case "at-least":
      return a >= b - tolerance;
  }
}

function equal(left: unknown, right: unknown, tolerance: number): boolean {
  const [a, b] = [toNumber(left), toNumber(right)];
  if (a !== null && b !== null) return a === b || Math.abs(a - b) <= tolerance;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((each, index) => equal(each, right[index], tolerance));
  }
  return JSON.stringify(left) === JSON.stringify(right);
}
