/** A chat model behind any OpenAI-compatible endpoint, or a recording of one. */
export interface LanguageModel {
  /** For people: the model's name, as asked for. */
  readonly description: string;
  /**
   * One completion, without tools. Retries what can pass (429, 5xx, a broken connection) with backoff.
   * @throws {LanguageModelFault} no usable answer after the retries, an empty one included.
   */
  complete(request: CompletionRequest, signal: AbortSignal): Promise<Completion>;
}

export interface CompletionRequest {
  /** The stage that asks: `restructure`, `plan`, `generate`, `contrast`. */
  stage: string;
  system: string;
  user: string;
  /** Upper limit for the reply. */
  maxTokens: number;
  /** 0 to 2. */
  temperature: number;
}

export interface Completion {
  text: string;
  /** As the endpoint counts them; estimated at four characters a token when it does not say. */
  promptTokens: number;
  completionTokens: number;
  /** `stop`, or `length` when the reply was cut at `maxTokens`. */
  finishReason: "stop" | "length" | "other";
}
