import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { DefectFault } from "../errors.ts";
import type { Completion, CompletionRequest, LanguageModel } from "../ports/language-model.ts";

const Recording = z.object({
  version: z.literal(1),
  model: z.string(),
  calls: z.array(
    z.object({
      stage: z.string(),
      /** sha256 of the request's system and user text, without what is measured. */
      prompt: z.string(),
      reply: z.string(),
      promptTokens: z.number(),
      completionTokens: z.number(),
      finishReason: z.enum(["stop", "length", "other"]),
    }),
  ),
});
type Recording = z.infer<typeof Recording>;

/** Passes calls on to `model` and writes them to `file`, whole after each call. */
export function recordLanguageModel(model: LanguageModel, file: string): LanguageModel {
  const recording: Recording = { version: 1, model: model.description, calls: [] };
  mkdirSync(dirname(file), { recursive: true });
  return {
    description: model.description,
    async complete(request, signal) {
      const { text, ...rest } = await model.complete(request, signal);
      recording.calls.push({ stage: request.stage, prompt: fingerprint(request), reply: text, ...rest });
      writeFileSync(file, `${JSON.stringify(recording, null, 2)}\n`);
      return { text, ...rest };
    },
  };
}

/**
 * Answers with what `file` holds, strictly: each call must be the next one recorded, with the very same prompt.
 * @throws {DefectFault} the file is no recording; a call comes that it does not hold, or in another order.
 */
export function replayLanguageModel(file: string): LanguageModel {
  const parsed = Recording.safeParse(readJson(file));
  if (!parsed.success) throw new DefectFault(`${file} is not a recording: ${z.prettifyError(parsed.error)}`);
  const { calls, model } = parsed.data;
  let next = 0;
  return {
    description: `${model} (recorded)`,
    async complete(request, signal): Promise<Completion> {
      signal.throwIfAborted();
      const call = calls[next];
      if (call?.stage !== request.stage || call.prompt !== fingerprint(request)) {
        const held = call === undefined ? "nothing more" : `a ${call.stage} prompt of other text`;
        throw new DefectFault(
          `The recording ${file} holds ${held} as call ${next + 1}, where ${request.stage} asks. Prompts or what goes into them have changed: record again.`,
        );
      }
      next += 1;
      const { reply, promptTokens, completionTokens, finishReason } = call;
      return { text: reply, promptTokens, completionTokens, finishReason };
    },
  };
}

/**
 * Of the text but for the digits of fractions and of numbers from 10,000 on: what a script computed or measured differs
 * in them from processor to processor.
 */
export function fingerprint(request: Pick<CompletionRequest, "system" | "user">): string {
  const text = `${request.system}\0${request.user}`.replace(/-?\b(\d+\.\d+(e[+-]?\d+)?|\d+e[+-]?\d+|\d{5,})\b/gi, "#");
  return createHash("sha256").update(text).digest("hex");
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new DefectFault(`The recording ${file} cannot be read.`, { cause: error });
  }
}
