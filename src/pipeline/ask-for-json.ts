import type { z } from "zod";
import { LanguageModelFault } from "../errors.ts";
import type { CompletionRequest, LanguageModel } from "../ports/language-model.ts";
import { parseJsonReply } from "./parse-reply.ts";

const tries = 3;

/**
 * Asks until the reply fits the schema; a reply that does not goes back with what is wrong with it.
 * @throws {LanguageModelFault} not retryable: no reply of three fits.
 */
export async function askForJson<T extends z.ZodType>(
  request: Omit<CompletionRequest, "temperature">,
  schema: T,
  deps: { languageModel: LanguageModel },
  signal: AbortSignal,
): Promise<z.output<T>> {
  let user = request.user;
  let problem = "";
  for (let asked = 0; asked < tries; asked++) {
    const temperature = asked === 0 ? 0 : 0.5;
    const completion = await deps.languageModel.complete({ ...request, user, temperature }, signal);
    const parsed = parseJsonReply(completion.text, schema);
    if (parsed.ok) return parsed.value;
    problem =
      completion.finishReason === "length" ? `the answer was cut off; be shorter (${parsed.problem})` : parsed.problem;
    user = `${request.user}\n\nYour last answer could not be used: ${problem}. Answer again with the whole JSON object.`;
  }
  const message = `The model ${deps.languageModel.description} gave no usable ${request.stage} in ${tries} answers: ${problem}.`;
  throw new LanguageModelFault(message, { retryable: false, status: null });
}
