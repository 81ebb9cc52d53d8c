import type { LanguageModel } from "../ports/language-model.ts";
import { renderPrompt } from "../prompts/render.ts";
import type { Attempt, Candidate, Context, Environment, Plan, Report } from "../types.ts";
import { renderContext } from "./build-context.ts";
import { parseCodeReply } from "./parse-reply.ts";
import { tellHistory } from "./tell-history.ts";

/** A candidate, or why the reply was none. */
export type Generated = { ok: true; candidate: Candidate } | { ok: false; problem: string };

/** Asks the model for a script; the history of attempts goes with it, so that none is repeated. */
export async function generate(
  input: {
    report: Report;
    plan: Plan;
    context: Context;
    environment: Environment;
    attempts: Attempt[];
    problem: string | null;
  },
  deps: { languageModel: LanguageModel },
  signal: AbortSignal,
): Promise<Generated> {
  const { report, plan, context, environment, attempts, problem } = input;
  const prompt = renderPrompt("generate", {
    title: report.title,
    problem: report.problem,
    observed: report.observed,
    expected: report.expected,
    reporterCode: report.read.runnableCode ?? "",
    packages: context.packages.join(", "),
    installed: tellInstalled(environment),
    context: renderContext(context),
    steps: plan.steps.map((step, index) => `${index + 1}. ${step}`).join("\n"),
    observations: plan.observations.map(({ name, meaning }) => `- ${name}: ${meaning}`).join("\n"),
    symptom: JSON.stringify(plan.symptom),
    history: [tellHistory(attempts), problem ?? ""].filter((part) => part !== "").join("\n\n"),
  });
  const temperature = attempts.length === 0 ? 0 : 0.4;
  const completion = await deps.languageModel.complete(
    { stage: "generate", ...prompt, maxTokens: 2500, temperature },
    signal,
  );
  const parsed = parseCodeReply(completion.text);
  if (parsed.ok) return { ok: true, candidate: { source: parsed.value, from: "model" } };
  const cut = completion.finishReason === "length" ? " and it was cut off; write a shorter script" : "";
  return { ok: false, problem: `Your last answer could not be used: ${parsed.problem}${cut}.` };
}

/** Distributions that a script may count on, those left out that only build packages or that PyTorch brings along. */
function tellInstalled({ packages }: Environment): string {
  const names = Object.keys(packages).filter((name) => !beneathNotice.has(name));
  return names.sort().slice(0, 40).join(", ");
}

const beneathNotice = new Set(
  [
    ["pip", "setuptools", "wheel", "hatchling", "poetry-core", "flit-core", "editables", "pathspec", "pluggy"],
    ["trove-classifiers", "tomlkit", "filelock", "fsspec", "jinja2", "markupsafe", "mpmath", "networkx", "sympy"],
    ["packaging", "typing-extensions"],
  ].flat(),
);
