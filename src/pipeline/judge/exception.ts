import type { Execution, Judgement, RaisedException, Symptom } from "../../types.ts";
import { describeRaised, explainEnding, isSetUp, no, responsibleFrame, shortName } from "./shared.ts";

type ExceptionSymptom = Extract<Symptom, { kind: "exception" }>;

/**
 * The exception that ended the script, or one that it was raised from, has the reported class, message and place,
 * and comes from the project's code: the innermost frame outside libraries is the project's.
 */
export function judgeException(execution: Execution, symptom: ExceptionSymptom): Judgement {
  if (execution.ending.how !== "exception") return explainEnding(execution);
  const matching = matchingException(execution.ending.chain, symptom);
  if (matching === undefined) return explainEnding(execution);
  if (responsibleFrame(matching)?.in !== "project") {
    return no("set-up", `${describeRaised(matching)}: raised from the script's own code, not from the project's`);
  }
  if (symptom.where !== null && !passes(matching, symptom.where)) {
    return no("different-symptom", `${describeRaised(matching)}: not in ${symptom.where}`);
  }
  return { shows: true, evidence: describeRaised(matching) };
}

/** The first of a chain that has the symptom's class and message. */
export function matchingException(chain: readonly RaisedException[], symptom: ExceptionSymptom) {
  return chain.find((raised) => matches(raised, symptom));
}

function matches(raised: RaisedException, symptom: ExceptionSymptom): boolean {
  const names = [shortName(raised.type), ...raised.bases.filter((base) => !tooGeneral.includes(base))];
  const typeMatches =
    symptom.type === null ? !isSetUp(raised) : names.includes(shortName(symptom.type)) || raised.type === symptom.type;
  return typeMatches && (symptom.message === null || messageMatches(raised.message, symptom.message));
}

/** A report of one of these means exactly this class; as a base it would match nearly everything. */
const tooGeneral = ["Exception", "BaseException"];

/**
 * Does `message` hold the distinctive part? White space and case do not count. Numbers may differ, since sizes that were
 * made up do, but then at least twelve other characters must agree.
 */
export function messageMatches(message: string, distinctive: string): boolean {
  const [whole, part] = [plain(message), plain(distinctive)];
  if (whole.includes(part)) return true;
  const [wholeShape, partShape] = [whole.replace(/\d+(\.\d+)?/g, "#"), part.replace(/\d+(\.\d+)?/g, "#")];
  return partShape.replace(/[#\W_]/g, "").length >= 12 && wholeShape.includes(partShape);
}

function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

/** Does the traceback pass through the function or file, among the project's frames? */
function passes(raised: RaisedException, where: string): boolean {
  const wanted = where.replace(/\(\)$/, "");
  return raised.frames.some(
    (frame) =>
      frame.in === "project" &&
      (frame.file === wanted ||
        frame.file.endsWith(`/${wanted}`) ||
        wanted.endsWith(`/${frame.file}`) ||
        frame.function === wanted ||
        wanted.endsWith(`.${frame.function}`) ||
        frame.function.endsWith(`.${wanted}`)),
  );
}
