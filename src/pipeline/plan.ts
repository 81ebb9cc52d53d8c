import { z } from "zod";
import type { LanguageModel } from "../ports/language-model.ts";
import { renderPrompt } from "../prompts/render.ts";
import { type Context, type Plan, type Report, Symptom } from "../types.ts";
import { askForJson } from "./ask-for-json.ts";
import { renderContext } from "./build-context.ts";

const Planned = z.object({
  steps: z.array(z.string()).min(1),
  observations: z.array(z.object({ name: z.string(), meaning: z.string() })).default([]),
  timeoutSeconds: z.number().min(5).max(120).catch(60),
  symptom: Symptom,
});

/** A plan whose observations are those that its symptom speaks of; `fixed` takes the place of the symptom that is planned. */
function plannedFor(fixed: Symptom | null) {
  return Planned.transform((planned) => ({ ...planned, symptom: fixed ?? planned.symptom })).superRefine(
    ({ observations, symptom }, context) => {
      const names = observations.map(({ name }) => name);
      for (const needed of observationsOf(symptom)) {
        if (!names.includes(needed))
          context.addIssue(`the symptom speaks of ${needed}, which is not among "observations"`);
      }
    },
  );
}

/** Fixes what a script has to observe and how that is checked. A symptom that the report already has stays as it is. */
export async function plan(
  input: { report: Report; context: Context; issueText: string; history: string },
  deps: { languageModel: LanguageModel },
  signal: AbortSignal,
): Promise<Plan> {
  const { report, context } = input;
  const prompt = renderPrompt("plan", {
    title: report.title,
    problem: report.problem,
    observed: report.observed,
    expected: report.expected,
    steps: report.steps.map((step) => `- ${step}`).join("\n"),
    issue: input.issueText,
    packages: context.packages.join(", "),
    context: renderContext(context),
    symptom: report.symptom === null ? "" : JSON.stringify(report.symptom),
    history: input.history,
  });
  return await askForJson({ stage: "plan", ...prompt, maxTokens: 1500 }, plannedFor(report.symptom), deps, signal);
}

/** Names that the symptom's check reads from `observed`. */
export function observationsOf(symptom: Symptom): string[] {
  if (!("observation" in symptom)) return [];
  const other =
    symptom.kind === "wrong-value" && "observation" in symptom.reference ? [symptom.reference.observation] : [];
  return [symptom.observation, ...other];
}
