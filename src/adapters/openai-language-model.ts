import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from "openai";
import { Agent } from "undici";
import { LanguageModelFault } from "../errors.ts";
import type { Completion, CompletionRequest, LanguageModel } from "../ports/language-model.ts";

export interface OpenAiOptions {
  /** Null for OpenAI's own. */
  baseUrl: string | null;
  /** Null for an endpoint that asks for none. */
  apiKey: string | null;
  model: string;
  /** For one request, retries not counted. */
  timeoutMs: number;
  /** (Default: 3.) */
  maxRetries?: number;
}

/** Chat completions of an OpenAI-compatible endpoint: hosted, vLLM, Ollama, llama.cpp. */
export function createOpenAiLanguageModel(options: OpenAiOptions): LanguageModel {
  const client = new OpenAI({
    baseURL: options.baseUrl ?? undefined,
    // Local endpoints take any key, but the client insists on one.
    apiKey: options.apiKey ?? "none",
    timeout: options.timeoutMs,
    maxRetries: options.maxRetries ?? 3,
    // Node's own fetch gives up on a reply that takes five minutes to begin, as one of a small machine's model may.
    fetchOptions: { dispatcher: new Agent({ headersTimeout: 0, bodyTimeout: 0 }) },
  });
  return {
    description: options.model,
    async complete(request, signal) {
      const first = await ask(client, options, request, signal);
      if (first.text.trim() !== "") return first;
      const second = await ask(client, options, request, signal);
      if (second.text.trim() !== "") {
        return {
          ...second,
          promptTokens: first.promptTokens + second.promptTokens,
          completionTokens: first.completionTokens + second.completionTokens,
        };
      }
      throw new LanguageModelFault(`${options.model} answered twice with nothing.`, { retryable: true, status: 200 });
    },
  };
}

async function ask(
  client: OpenAI,
  options: OpenAiOptions,
  request: CompletionRequest,
  signal: AbortSignal,
): Promise<Completion> {
  try {
    const response = await client.chat.completions.create(
      {
        model: options.model,
        messages: [
          { role: "system", content: request.system },
          { role: "user", content: request.user },
        ],
        // Local servers know the older name only; OpenAI's newer models take the newer one only.
        ...(options.baseUrl === null
          ? { max_completion_tokens: request.maxTokens }
          : { max_tokens: request.maxTokens }),
        temperature: request.temperature,
      },
      { signal },
    );
    const choice = response.choices?.[0];
    const text = choice?.message?.content ?? "";
    return {
      text,
      promptTokens: response.usage?.prompt_tokens ?? estimateTokens(request.system + request.user),
      completionTokens: response.usage?.completion_tokens ?? estimateTokens(text),
      finishReason:
        choice?.finish_reason === "stop" || choice?.finish_reason === "length" ? choice.finish_reason : "other",
    };
  } catch (error) {
    signal.throwIfAborted();
    throw toFault(error, options);
  }
}

/** At four characters a token, for endpoints that do not count. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

function toFault(error: unknown, { model, baseUrl, timeoutMs }: OpenAiOptions): unknown {
  const where = baseUrl ?? "api.openai.com";
  if (error instanceof APIUserAbortError) return error;
  if (error instanceof APIConnectionTimeoutError) {
    const message = `The model endpoint ${where} gave no answer within ${timeoutMs / 1000} s. Set REPGEN_MODEL_TIMEOUT_SECONDS higher for a slow model.`;
    return new LanguageModelFault(message, { retryable: true, status: null, cause: error });
  }
  if (error instanceof APIConnectionError) {
    const message = `The model endpoint ${where} cannot be reached. Is OPENAI_BASE_URL right and the server up?`;
    return new LanguageModelFault(message, { retryable: true, status: null, cause: error });
  }
  if (error instanceof APIError) {
    const status = typeof error.status === "number" ? error.status : null;
    const retryable = status === null || status === 408 || status === 429 || status >= 500;
    const hint =
      status === 401 ? " Is OPENAI_API_KEY right?" : status === 404 ? ` Does it serve the model ${model}?` : "";
    return new LanguageModelFault(`The model endpoint ${where} answered: ${error.message}.${hint}`, {
      retryable,
      status,
      cause: error,
    });
  }
  if (error instanceof SyntaxError || error instanceof TypeError) {
    const message = `The model endpoint ${where} sent something that is not a chat completion.`;
    return new LanguageModelFault(message, { retryable: true, status: null, cause: error });
  }
  return error;
}
