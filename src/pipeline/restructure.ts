import { z } from "zod";
import { cleanText } from "../issue/clean-text.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import { renderPrompt } from "../prompts/render.ts";
import { type Issue, type ReadIssue, type Report, Symptom, type Triage } from "../types.ts";
import { askForJson } from "./ask-for-json.ts";

const text = z.string().catch("");
const Restructured = z.object({
  triage: z.enum(["bug", "not-a-bug", "needs-information", "unsupported-environment"]),
  why: text,
  problem: z.string().min(1),
  observed: text,
  expected: text,
  steps: z.array(z.string()).catch([]),
  symptom: z.union([Symptom, z.object({ kind: z.literal("silent") })]).catch({ kind: "silent" }),
});

/** Characters of the issue that the model is shown; what is cut is said in the text. */
const shownCharacters = 16_000;

/** The report as far as a program can tell, without a model. */
export function restructureByProgram(issue: Issue, read: ReadIssue, symptom: Symptom | null): Report {
  const section = (pattern: RegExp) => read.sections.find(({ heading }) => pattern.test(heading))?.text.trim() ?? "";
  const last = read.tracebacks.at(-1);
  return {
    title: issue.title,
    problem: issue.title,
    observed: last === undefined ? section(/observed|current|actual|error/i) : `${last.type}: ${last.message}`,
    expected: section(/expected/i),
    steps: [],
    symptom,
    read,
  };
}

/**
 * Asks the model for the report's parts and whether it is one that can be tried. A symptom that a program has read
 * with its class stays; for silent bugs the plan decides.
 */
export async function restructure(
  input: { issue: Issue; read: ReadIssue; symptom: Symptom | null; hint: string | null },
  deps: { languageModel: LanguageModel },
  signal: AbortSignal,
): Promise<{ report: Report; triage: Triage }> {
  const { issue, read, symptom, hint } = input;
  const prompt = renderPrompt("restructure", { issue: quoteIssue(issue, hint), facts: tellFacts(symptom) });
  const answer = await askForJson({ stage: "restructure", ...prompt, maxTokens: 1500 }, Restructured, deps, signal);
  const { triage: is, why, symptom: guessed, ...parts } = answer;
  const report: Report = {
    ...parts,
    title: issue.title,
    symptom: isSpecific(symptom) || guessed.kind === "silent" ? symptom : guessed,
    read,
  };
  return { report, triage: toTriage(is, why) };
}

/** Says enough for a model not to overwrite it. */
function isSpecific(symptom: Symptom | null): boolean {
  return symptom !== null && !(symptom.kind === "exception" && symptom.type === null);
}

function toTriage(is: Triage["is"], why: string): Triage {
  switch (is) {
    case "bug":
      return { is };
    case "not-a-bug":
      return { is, why };
    case "needs-information":
      return { is, missing: why };
    case "unsupported-environment":
      return { is, needs: why };
  }
}

/** The issue as data: title, body cut in its middle, and the maintainer's hint. */
export function quoteIssue(issue: Issue, hint: string | null): string {
  const body = cleanText(issue.body);
  const half = shownCharacters / 2;
  const shown =
    body.length <= shownCharacters
      ? body
      : `${body.slice(0, half)}\n[… ${body.length - shownCharacters} characters left out …]\n${body.slice(-half)}`;
  const hinted = hint === null ? "" : `\n\nA maintainer adds: ${hint}`;
  return `Title: ${cleanText(issue.title)}\n\n${shown}${hinted}`.toWellFormed();
}

function tellFacts(symptom: Symptom | null): string {
  return symptom !== null && isSpecific(symptom) ? `symptom: ${JSON.stringify(symptom)}` : "";
}
