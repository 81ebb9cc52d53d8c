import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { createOpenAiLanguageModel } from "../../src/adapters/openai-language-model.ts";
import { LanguageModelFault } from "../../src/errors.ts";
import { startServer } from "../doubles/http-server.ts";

const request = { stage: "plan", system: "Be brief.", user: "Hello?", maxTokens: 50, temperature: 0 };
const never = new AbortController().signal;

function model(url: string, options: { timeoutMs?: number; maxRetries?: number } = {}) {
  return createOpenAiLanguageModel({
    baseUrl: `${url}/v1`,
    apiKey: null,
    model: "toy",
    timeoutMs: 2000,
    maxRetries: 1,
    ...options,
  });
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

function completion(content: string | null, more: Record<string, unknown> = {}) {
  return { choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }], ...more };
}

describe("createOpenAiLanguageModel", () => {
  it("sends both messages and returns the text with the endpoint's own counts", async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 3 };
    await using server = await startServer((response) => send(response, 200, completion("Hi.", { usage })));

    const answer = await model(server.url).complete(request, never);

    expect(answer).toEqual({ text: "Hi.", promptTokens: 7, completionTokens: 3, finishReason: "stop" });
    expect(JSON.parse(server.bodies[0] ?? "")).toEqual({
      model: "toy",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello?" },
      ],
      max_tokens: 50,
      temperature: 0,
    });
  });

  it("estimates the tokens when the endpoint does not count", async () => {
    await using server = await startServer((response) => send(response, 200, completion("12345678")));
    expect(await model(server.url).complete(request, never)).toMatchObject({ promptTokens: 4, completionTokens: 2 });
  });

  it.each([429, 500, 503])("asks again after a %d", async (status) => {
    await using server = await startServer((response, index) =>
      index === 0
        ? send(response, status, { error: { message: "busy" } }, { "retry-after": "0" })
        : send(response, 200, completion("Hi.")),
    );
    expect((await model(server.url).complete(request, never)).text).toBe("Hi.");
  });

  it.each([
    ["an endpoint that stays busy", 429, true],
    ["an endpoint that stays broken", 500, true],
    ["a wrong key", 401, false],
    ["an unknown model", 404, false],
  ])("ends with a fault for %s", async (_, status, retryable) => {
    await using server = await startServer((response) =>
      send(response, status, { error: { message: "no" } }, { "retry-after": "0" }),
    );
    const fault = await model(server.url)
      .complete(request, never)
      .catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(LanguageModelFault);
    expect(fault).toMatchObject({ status, retryable });
  });

  it("asks once more after an empty answer, then gives up", async () => {
    await using once = await startServer((response, index) =>
      send(response, 200, completion(index === 0 ? "" : "Hi.")),
    );
    expect((await model(once.url).complete(request, never)).text).toBe("Hi.");

    await using always = await startServer((response) => send(response, 200, completion(null)));
    await expect(model(always.url).complete(request, never)).rejects.toThrow("toy answered twice with nothing.");
    expect(always.bodies.length).toBe(2);
  });

  it.each([
    ["half a JSON", '{"choices": [{"message": {"content": "Hel'],
    ["a page", "<html>Welcome</html>"],
  ])("ends with a fault for %s", async (_, body) => {
    await using server = await startServer((response) => send(response, 200, body));
    await expect(model(server.url).complete(request, never)).rejects.toThrow(LanguageModelFault);
  });

  it("says that a slow endpoint gave no answer in time", async () => {
    await using server = await startServer(() => {});
    const slow = model(server.url, { timeoutMs: 200, maxRetries: 0 });
    await expect(slow.complete(request, never)).rejects.toThrow("gave no answer within 0.2 s");
  });

  it("says that an endpoint cannot be reached", async () => {
    const server = await startServer(() => {});
    await server[Symbol.asyncDispose]();
    const down = model(server.url, { maxRetries: 0 });
    await expect(down.complete(request, never)).rejects.toThrow("cannot be reached. Is OPENAI_BASE_URL right");
  });

  it("stops at once when it is told to", async () => {
    await using server = await startServer(() => {});
    const controller = new AbortController();
    const answer = model(server.url, { timeoutMs: 60_000 }).complete(request, controller.signal);
    setTimeout(() => controller.abort(new Error("enough")), 100);
    await expect(answer).rejects.toThrow("enough");
  });
});
