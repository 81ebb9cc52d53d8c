import { relationWords, type Symptom, trendWords } from "../types.ts";
import { inlineCode } from "./fence.ts";

/** The symptom for people, as a phrase in Markdown. */
export function tellSymptom(symptom: Symptom): string {
  switch (symptom.kind) {
    case "exception": {
      const type = symptom.type === null ? "an exception" : inlineCode(symptom.type);
      const message = symptom.message === null ? "" : ` with ${inlineCode(symptom.message)}`;
      const where = symptom.where === null ? "" : ` in ${inlineCode(symptom.where)}`;
      return `${type}${message}${where}, raised by the project's code`;
    }
    case "crash":
      return symptom.signal === null
        ? "the process dying by a signal"
        : `the process dying by ${inlineCode(symptom.signal)}`;
    case "hang":
      return `still running after ${symptom.afterSeconds} s, in the project's code`;
    case "warning": {
      const message = symptom.message === null ? "" : ` with ${inlineCode(symptom.message)}`;
      return `${symptom.category === null ? "a warning" : inlineCode(symptom.category)}${message}`;
    }
    case "not-finite":
      return `a number of ${inlineCode(symptom.observation)} that is not finite`;
    case "wrong-value": {
      const reference =
        "value" in symptom.reference
          ? inlineCode(JSON.stringify(symptom.reference.value))
          : inlineCode(symptom.reference.observation);
      const tolerance = symptom.tolerance > 0 ? ` (within ${symptom.tolerance})` : "";
      return `${inlineCode(symptom.observation)} not being ${relationWords[symptom.relation]} ${reference}${tolerance}`;
    }
    case "metric":
      return `${inlineCode(symptom.observation)}, over the steps, ${trendWords[symptom.trend]}`;
    case "resource":
      return symptom.measure === "memory-growth"
        ? `${inlineCode(symptom.observation)} growing by at least ${symptom.atLeast} bytes a step`
        : `${inlineCode(symptom.observation)} being at least ${symptom.atLeast}`;
  }
}
