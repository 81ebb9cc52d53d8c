import type { Completion, CompletionRequest, LanguageModel } from "../../src/ports/language-model.ts";

/** Answers with the given replies in order; a call more than there are replies fails the test. */
export function scriptedLanguageModel(
  replies: readonly string[],
  finishReason: Completion["finishReason"] = "stop",
): LanguageModel & { requests: CompletionRequest[] } {
  const requests: CompletionRequest[] = [];
  return {
    description: "scripted",
    requests,
    async complete(request) {
      const text = replies[requests.length];
      requests.push(request);
      if (text === undefined) throw new Error(`unexpected call of the model by ${request.stage}:\n${request.user}`);
      return { text, promptTokens: 10, completionTokens: 5, finishReason };
    },
  };
}
