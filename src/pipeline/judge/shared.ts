import type { Execution, Judgement, RaisedException } from "../../types.ts";

type Unseen = Extract<Judgement, { shows: false }>;

export function no(because: Unseen["because"], explanation: string): Unseen {
  return { shows: false, because, explanation };
}

/** The innermost frame that is the script's or the project's: where the fault is to be sought. Null for none. */
export function responsibleFrame(exception: RaisedException): RaisedException["frames"][number] | null {
  return exception.frames.findLast((frame) => frame.in !== "library") ?? null;
}

/** Class name without its module. */
export function shortName(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

/** `RuntimeError: message`, one line, cut at 300 characters. */
export function describeException(exception: RaisedException): string {
  const text = `${shortName(exception.type)}: ${exception.message}`.replace(/\s+/g, " ").trim();
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

/** `RuntimeError: … in model.py:12 (forward)`. */
export function describeRaised(exception: RaisedException): string {
  const frame = responsibleFrame(exception);
  return frame === null
    ? describeException(exception)
    : `${describeException(exception)} in ${frame.file}:${frame.line} (${frame.function})`;
}

/** What an ending that the symptom does not ask for means. */
export function explainEnding(execution: Execution): Unseen {
  const { ending } = execution;
  switch (ending.how) {
    case "completed":
      return ending.exitCode === 0
        ? no("ran-clean", "the script ran to its end")
        : no("set-up", `the script ended itself with exit status ${ending.exitCode}`);
    case "exception": {
      const raised = ending.chain[0];
      if (raised === undefined) return no("set-up", "an exception that could not be read");
      const inProject = responsibleFrame(raised)?.in === "project" && !isSetUp(raised);
      return no(inProject ? "different-symptom" : "set-up", describeRaised(raised));
    }
    case "signal":
      return no("different-symptom", `the process died by ${ending.signal}`);
    case "timeout":
      return no("took-too-long", `it did not end in time${describeStack(ending.stack)}`);
    case "limit":
      return no("set-up", `it used more ${ending.limit} than it may`);
  }
}

function describeStack(stack: RaisedException["frames"]): string {
  const frame = stack.findLast((each) => each.in !== "library");
  return frame === undefined ? "" : `; it was in ${frame.file}:${frame.line} (${frame.function})`;
}

/** Kinds that say that something is missing, not that something is wrong. */
export function isSetUp(exception: RaisedException): boolean {
  const names = [shortName(exception.type), ...exception.bases];
  return names.some((name) =>
    ["ImportError", "ModuleNotFoundError", "SyntaxError", "FileNotFoundError"].includes(name),
  );
}

/** Reads a number as the harness writes it; null for what is none. */
export function toNumber(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity") return Number.POSITIVE_INFINITY;
  if (value === "-Infinity") return Number.NEGATIVE_INFINITY;
  return null;
}

/** The observation, or why there is none. */
export function readObservation(execution: Execution, name: string): { value: unknown } | Unseen {
  if (Object.hasOwn(execution.observed, name)) return { value: execution.observed[name] };
  const why = execution.unobservable[name] ?? "the script did not put it into `observed`";
  return no("not-observed", `there is no observation ${name}: ${why}`);
}

/** The observation as a list of at least `least` numbers, or why it is none. */
export function readSeries(execution: Execution, name: string, least: number): { series: number[] } | Unseen {
  const read = readObservation(execution, name);
  if (!("value" in read)) return read;
  const values: unknown[] = Array.isArray(read.value) ? read.value : [];
  const series = values.map(toNumber);
  if (series.length < least || series.includes(null)) {
    return no("not-observed", `the observation ${name} is not a list of at least ${least} numbers`);
  }
  return { series: series.filter((value) => value !== null) };
}

/** For evidence: JSON, cut at 200 characters. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
