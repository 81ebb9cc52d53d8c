import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fingerprint } from "../../src/adapters/recording-language-model.ts";

/** An OpenAI-compatible endpoint that gives recorded replies, each to the very prompt that it was recorded for. */
export interface ModelServer extends AsyncDisposable {
  /** For `OPENAI_BASE_URL`. */
  url: string;
  /** Stage of each call that was answered, in order. */
  answered: string[];
  /** Called when a prompt has come and before it is answered; answers nothing when that rejects. */
  beforeAnswer: (stage: string) => Promise<void>;
}

interface Recorded {
  stage: string;
  prompt: string;
  reply: string;
}

export async function startModelServer(recordingFile: string): Promise<ModelServer> {
  const { calls } = JSON.parse(readFileSync(recordingFile, "utf8")) as { calls: Recorded[] };
  const answered: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
      messages: { role: string; content: string }[];
    };
    const text = (role: string) => messages.find((message) => message.role === role)?.content ?? "";
    const prompt = fingerprint({ system: text("system"), user: text("user") });
    const call = calls.find((each) => each.prompt === prompt);
    if (call === undefined) {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "no reply was recorded for this prompt" } }));
      return;
    }
    try {
      await model.beforeAnswer(call.stage);
    } catch {
      response.destroy();
      return;
    }
    answered.push(call.stage);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        id: "recorded",
        object: "chat.completion",
        created: 0,
        model: "recorded",
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: call.reply } }],
        usage: { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const model: ModelServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    answered,
    beforeAnswer: async () => {},
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return model;
}
