import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordLanguageModel, replayLanguageModel } from "../../src/adapters/recording-language-model.ts";
import { DefectFault } from "../../src/errors.ts";
import { scriptedLanguageModel } from "../doubles/scripted-language-model.ts";

const never = new AbortController().signal;
const request = (stage: string, user: string) => ({ stage, system: "s", user, maxTokens: 9, temperature: 0 });

describe("a recorded language model", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "repgen-test-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function record(): Promise<string> {
    const file = join(folder, "deep", "replies.json");
    const recorder = recordLanguageModel(scriptedLanguageModel(["one", "two"]), file);
    await recorder.complete(request("plan", "first"), never);
    await recorder.complete(request("generate", "second"), never);
    return file;
  }

  it("replays what was recorded, in order", async () => {
    const replayed = replayLanguageModel(await record());
    expect(replayed.description).toBe("scripted (recorded)");
    expect((await replayed.complete(request("plan", "first"), never)).text).toBe("one");
    expect(await replayed.complete(request("generate", "second"), never)).toEqual({
      text: "two",
      promptTokens: 10,
      completionTokens: 5,
      finishReason: "stop",
    });
  });

  it("takes a prompt for the same when only what is measured differs", async () => {
    const file = join(folder, "replies.json");
    const recorder = recordLanguageModel(scriptedLanguageModel(["one"]), file);
    await recorder.complete(request("plan", "loss 0.25, 3 steps, 1e-08, 123456 bytes"), never);
    expect(
      (await replayLanguageModel(file).complete(request("plan", "loss 1.75, 3 steps, 2.5e-7, 654321 bytes"), never))
        .text,
    ).toBe("one");
    await expect(
      replayLanguageModel(file).complete(request("plan", "loss 0.25, 4 steps, 1e-08, 123456 bytes"), never),
    ).rejects.toThrow("record again");
  });

  it.each([
    ["another prompt", request("plan", "changed")],
    ["another order", request("generate", "second")],
  ])("refuses %s", async (_, other) => {
    const replayed = replayLanguageModel(await record());
    await expect(replayed.complete(other, never)).rejects.toThrow("record again");
  });

  it("refuses a call more than was recorded", async () => {
    const replayed = replayLanguageModel(await record());
    await replayed.complete(request("plan", "first"), never);
    await replayed.complete(request("generate", "second"), never);
    await expect(replayed.complete(request("plan", "first"), never)).rejects.toThrow("holds nothing more as call 3");
  });

  it.each(["", "[]", '{"version": 2}'])("refuses a file that holds %j", (text) => {
    const file = join(folder, "bad.json");
    writeFileSync(file, text);
    expect(() => replayLanguageModel(file)).toThrow(DefectFault);
  });
});
