import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import type { PipConfiguration } from "../environment/pip-configuration.ts";
import { type Fault, LanguageModelFault, RepositoryFault } from "../errors.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import { renderPrompt } from "../prompts/render.ts";
import { applyChange } from "../source/apply-change.ts";
import { copyCheckout } from "../source/copy-checkout.ts";
import type { RepositoryAccess } from "../source/remote-repository.ts";
import type { Context, Contrast, Place, Report, RepositorySource, SuggestedChange } from "../types.ts";
import { askForJson } from "./ask-for-json.ts";
import { executionSeconds, type Trial } from "./attempt.ts";
import { renderContext } from "./build-context.ts";
import { type contrastNeeded, isContrasted } from "./confirm.ts";
import type { Executor } from "./deps.ts";
import { judge } from "./judge/judge.ts";
import { mayOnlyHide } from "./may-only-hide.ts";
import { neighbouringScripts } from "./neighbouring-scripts.ts";
import { prepareRepository } from "./prepare-repository.ts";

/** Changes that a model may propose, one after the other. */
const modelChanges = 2;

export interface ContrastInput {
  source: string;
  evidence: string;
  needed: ReturnType<typeof contrastNeeded>;
  report: Report;
  context: Context;
  trial: Trial;
  repository: RepositorySource;
  /** Named by whoever started the run. */
  contrastRef: string | null;
  /** The one with which the script showed the symptom first, then those of the other runs. */
  seeds: readonly number[];
}

export interface ContrastDeps {
  sandbox: Sandbox;
  execute: Executor;
  languageModel: LanguageModel | null;
  pip: PipConfiguration;
  repositoryAccess: RepositoryAccess | null;
  cacheDirectory: string;
  /** Changed copies of the checkout are put here, and stay for as long as the caller lets them. */
  workDirectory: string;
}

/** A contrast that was tried, and the place where the unchanged script was run for it; null where the script was changed. */
export interface TriedContrast {
  contrast: Contrast;
  place: Place | null;
}

/**
 * Looks for something that makes the symptom go away, cheapest first: another ref, the reporter's change, a neighbouring
 * configuration, then changes that a model proposes, these only while a contrast is needed. Stops at what suffices.
 */
export async function contrast(
  input: ContrastInput,
  deps: ContrastDeps,
  signal: AbortSignal,
): Promise<TriedContrast[]> {
  const found: TriedContrast[] = [];
  const contrasts = () => found.map(({ contrast }) => contrast);
  const enough = () => contrasts().some(({ flips }) => flips) && isContrasted(input.needed, contrasts());
  for await (const tried of candidates(input, deps, signal)) {
    found.push(tried);
    if (enough()) return found;
  }
  if (deps.languageModel !== null && !isContrasted(input.needed, contrasts())) {
    found.push(...(await byModel(input, { ...deps, languageModel: deps.languageModel }, signal)));
  }
  return found;
}

async function* candidates(
  input: ContrastInput,
  deps: ContrastDeps,
  signal: AbortSignal,
): AsyncGenerator<TriedContrast> {
  const { report, contrastRef } = input;
  for (const ref of new Set([...(contrastRef === null ? [] : [contrastRef]), ...report.read.worksIn.slice(0, 2)])) {
    const tried = await byRef(ref, input, deps, signal);
    if (tried !== null) yield tried;
  }
  for (const change of report.read.suggestedChanges.slice(0, 3)) {
    const suggested = {
      by: "suggested-change",
      description: "the change that the report suggests",
      cause: null,
    } as const;
    for (const placed of placesOf(change)) {
      const tried = await byChange({ ...suggested, change: placed }, input, deps, signal);
      // What does not apply is more often misread than meant as a change to this commit.
      if (tried.contrast.diff === null) continue;
      yield tried;
      break;
    }
  }
  for (const { description, source } of await neighbouringScripts(input, deps, signal)) {
    const result = await flips(source, input.trial.place, input, deps, signal);
    yield {
      contrast: { by: "neighbouring-configuration", description, diff: null, cause: null, ...result },
      place: null,
    };
  }
}

/** A change, and the same wherever else its lines are: a file that a report names nearby may be another one. */
function placesOf(change: SuggestedChange): SuggestedChange[] {
  return change.form === "replace" && change.path !== null ? [change, { ...change, path: null }] : [change];
}

/** The same repository at another ref, or the same project's release of that version. */
export function sourceAt(repository: RepositorySource, ref: string): RepositorySource {
  return repository.from === "git" ? { ...repository, ref } : { ...repository, version: ref };
}

/** Null for a ref that is not there: what a report calls a version is often another project's. */
async function byRef(
  ref: string,
  input: ContrastInput,
  deps: ContrastDeps,
  signal: AbortSignal,
): Promise<TriedContrast | null> {
  const contrast = { by: "other-ref", description: ref, diff: null, cause: null } as const;
  try {
    const checkout = await prepareRepository(sourceAt(input.repository, ref), deps, signal);
    const place = { ...input.trial.place, checkout };
    return { contrast: { ...contrast, ...(await flips(input.source, place, input, deps, signal)) }, place };
  } catch (error) {
    if (error instanceof RepositoryFault) return null;
    throw error;
  }
}

async function byChange(
  proposed: Pick<Contrast, "by" | "description" | "cause"> & { change: SuggestedChange },
  input: ContrastInput,
  deps: ContrastDeps,
  signal: AbortSignal,
): Promise<TriedContrast> {
  const { change, ...contrast } = proposed;
  const { checkout } = input.trial.place;
  const path = join(deps.workDirectory, `changed-${randomUUID()}`);
  await copyCheckout(checkout, path);
  const applied = await applyChange(path, change);
  if (!applied.ok) {
    const explanation = `does not apply: ${applied.reason}`;
    return { contrast: { ...contrast, diff: null, flips: false, explanation }, place: null };
  }
  const place = { ...input.trial.place, checkout: { ...checkout, path, change: applied.diff } };
  const result = await flips(input.source, place, input, deps, signal);
  return { contrast: { ...contrast, diff: applied.diff, ...result }, place };
}

/**
 * Does the symptom go away, and the script run to its end, with every seed? Another failure in its place is no contrast,
 * and neither is luck.
 */
async function flips(
  source: string,
  place: Place,
  { trial, seeds }: ContrastInput,
  deps: ContrastDeps,
  signal: AbortSignal,
): Promise<Pick<Contrast, "flips" | "explanation">> {
  let explanation = "";
  for (const seed of seeds) {
    const execution = await deps.execute({ source, seed, timeoutSeconds: executionSeconds(trial) }, place, signal);
    const judgement = judge(execution, trial.symptom);
    if (judgement.shows) return { flips: false, explanation: `still shows: ${judgement.evidence}` };
    if (judgement.because !== "ran-clean") return { flips: false, explanation: judgement.explanation };
    explanation ||= judgement.explanation;
  }
  return { flips: true, explanation };
}

const ProposedChange = z.object({
  path: z.string(),
  search: z.string().min(1),
  replace: z.string(),
  why: z.string().catch(""),
});

async function byModel(
  input: ContrastInput,
  deps: ContrastDeps & { languageModel: LanguageModel },
  signal: AbortSignal,
): Promise<TriedContrast[]> {
  const tried: TriedContrast[] = [];
  for (let asked = 0; asked < modelChanges; asked++) {
    const prompt = renderPrompt("contrast", {
      title: input.report.title,
      problem: input.report.problem,
      expected: input.report.expected,
      script: input.source.trimEnd(),
      evidence: input.evidence,
      context: renderContext(input.context),
      history: tried.map(({ contrast: { diff, explanation } }) => `${diff ?? ""}${explanation}`).join("\n\n"),
    });
    const proposed = await proposeChange(prompt, deps, signal);
    if (!(proposed instanceof Error)) {
      const { why, ...replacement } = proposed;
      const change = { form: "replace", ...replacement } as const;
      const description = `a change in ${change.path}`;
      const cause = why === "" ? null : why;
      const made = await byChange({ by: "candidate-change", description, cause, change }, input, deps, signal);
      tried.push(mayOnlyHide(made.contrast.diff ?? "") ? refused(made) : made);
    }
    if (proposed instanceof Error || tried.some(({ contrast }) => contrast.flips)) break;
  }
  return tried;
}

function refused({ contrast }: TriedContrast): TriedContrast {
  const explanation = "it adds a way out of the code, which may only hide the symptom";
  return { contrast: { ...contrast, flips: false, explanation }, place: null };
}

/**
 * A model that cannot put a change into words leaves the bug unconfirmed; that is no fault of the run. An endpoint that
 * refuses is one.
 */
async function proposeChange(
  prompt: { system: string; user: string },
  deps: { languageModel: LanguageModel },
  signal: AbortSignal,
): Promise<z.infer<typeof ProposedChange> | Fault> {
  try {
    return await askForJson({ stage: "contrast", ...prompt, maxTokens: 1500 }, ProposedChange, deps, signal);
  } catch (error) {
    if (error instanceof LanguageModelFault && !error.retryable && error.status === null) return error;
    throw error;
  }
}
