import { readFileSync } from "node:fs";
import { relationWords, type Symptom } from "../types.ts";

type ObservedSymptom = Extract<Symptom, { observation: string }>;

/**
 * The script as it is posted: what was run, and the check that was fixed before it was run, as code. Run by hand it ends
 * with 1 where the bug shows (an uncaught exception does so by itself), 0 where it does not, 2 where that cannot be told;
 * a crash ends it by its signal.
 */
export function writeScript(source: string, symptom: Symptom): string {
  const script = source.trimEnd();
  switch (symptom.kind) {
    case "exception":
    case "crash":
      return `${script}\n\nprint("the bug does not show")\n`;
    case "hang":
      return withPrologue(
        script,
        ["import faulthandler", `faulthandler.dump_traceback_later(${symptom.afterSeconds}, exit=True)`],
        ["faulthandler.cancel_dump_traceback_later()", 'print("the bug does not show")'],
      );
    case "warning":
      return withPrologue(
        script,
        ["import re, warnings", `warnings.filterwarnings("error", message=${warningPattern(symptom.message)})`],
        ['print("the bug does not show")'],
      );
    default:
      return [script, "", checkOf(symptom), ""].join("\n");
  }
}

/** `from __future__` imports and a docstring have to stay first. */
function withPrologue(script: string, before: string[], after: string[]): string {
  const lines = script.split("\n");
  const at = lines.findLastIndex((line) => line.startsWith("from __future__ ")) + 1;
  return [...lines.slice(0, at), ...before, "", ...lines.slice(at), "", ...after, ""].join("\n");
}

function warningPattern(message: string | null): string {
  return message === null ? '""' : `"(?s).*" + re.escape(${pythonLiteral(message)})`;
}

function checkOf(symptom: ObservedSymptom): string {
  const heading = "# The check: exit status 1 if the bug shows, 0 if it does not, 2 if that cannot be told.";
  const body = fill(template(symptom), variablesOf(symptom));
  const verdict = 'print("the bug shows" if shows else "the bug does not show")\nsys.exit(1 if shows else 0)';
  return [heading, "import math, statistics, sys", "", "", template({ kind: "plain" }), "", "", body, verdict].join(
    "\n",
  );
}

function template(symptom: ObservedSymptom | { kind: "plain" }): string {
  const name = symptom.kind === "resource" ? symptom.measure : symptom.kind;
  return readFileSync(new URL(`./checks/${name}.py`, import.meta.url), "utf8").trimEnd();
}

function fill(text: string, variables: Record<string, string>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, key: string) => variables[key] ?? "");
}

function variablesOf(symptom: ObservedSymptom): Record<string, string> {
  const observation = pythonLiteral(symptom.observation);
  switch (symptom.kind) {
    case "not-finite":
      return { observation };
    case "wrong-value":
      return {
        observation,
        tolerance: String(symptom.tolerance),
        relation: relations[symptom.relation],
        words: relationWords[symptom.relation],
        reference:
          "value" in symptom.reference
            ? pythonLiteral(symptom.reference.value)
            : `observation(${pythonLiteral(symptom.reference.observation)})`,
      };
    case "metric":
      return { observation, trend: trends[symptom.trend] };
    case "resource":
      return { observation, atLeast: String(symptom.atLeast) };
  }
}

const relations = {
  equals: "equal(value, reference)",
  differs: "not equal(value, reference)",
  less: "value < reference + tolerance",
  "at-most": "value <= reference + tolerance",
  greater: "value > reference - tolerance",
  "at-least": "value >= reference - tolerance",
} as const;

const trends = {
  "not-falling": "not finite or last > first - 0.05 * size",
  "not-rising": "not finite or last < first + 0.05 * size",
  diverging: "not finite or abs(last) > 2 * size",
  stuck: "finite and max(series) - min(series) <= 0.01 * size",
} as const;

/** JSON as Python writes it. */
function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (typeof value === "object") {
    return `{${Object.entries(value)
      .map(([key, each]) => `${pythonLiteral(key)}: ${pythonLiteral(each)}`)
      .join(", ")}}`;
  }
  return JSON.stringify(value);
}
