import { createHash } from "node:crypto";
import type { LanguageModel } from "../ports/language-model.ts";
import type { Place } from "../types.ts";

/**
 * What a run has paid for: replies of the model and executions. A run that is taken up again, after its process was
 * lost, comes by the same steps to the same questions and finds them answered.
 */
export interface Paid {
  /** What was kept under the key when it was asked for as often before as now; else does the action and keeps its result, as JSON. */
  once<T>(key: string, action: () => Promise<T>): Promise<T>;
}

/** For runs that nobody takes up again. */
export const nothingPaid: Paid = { once: (_key, action) => action() };

/** The same model, asked only for what it has not answered yet. */
export function payOnce(model: LanguageModel, paid: Paid): LanguageModel {
  return {
    description: model.description,
    complete(request, signal) {
      const { stage, system, user, maxTokens, temperature } = request;
      const key = `reply-${digest([model.description, stage, system, user, maxTokens, temperature])}`;
      return paid.once(key, () => model.complete(request, signal));
    },
  };
}

/** Names an execution by all that can make a difference to it. */
export function executionKey(
  { source, seed, timeoutSeconds }: { source: string; seed: number; timeoutSeconds: number },
  { checkout, environment, memoryBytes, gpus }: Place,
): string {
  const { label, commit, change = null } = checkout;
  const { python, packages } = environment;
  return `execution-${digest([source, seed, timeoutSeconds, label, commit, change, python, packages, memoryBytes, gpus.length])}`;
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
