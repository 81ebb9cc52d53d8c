import { describe, expect, it } from "vitest";
import { z } from "zod";
import { LanguageModelFault } from "../../src/errors.ts";
import { askForJson } from "../../src/pipeline/ask-for-json.ts";
import { scriptedLanguageModel } from "../doubles/scripted-language-model.ts";

const { signal } = new AbortController();
const schema = z.object({ size: z.number() });
const request = { stage: "plan", system: "You plan.", user: "Plan this.", maxTokens: 100 };

describe("askForJson", () => {
  it("answers with the first reply that fits", async () => {
    const languageModel = scriptedLanguageModel(['{"size": 3}']);

    expect(await askForJson(request, schema, { languageModel }, signal)).toEqual({ size: 3 });
    expect(languageModel.requests).toEqual([{ ...request, temperature: 0 }]);
  });

  it("sends back what is wrong with the last reply, and that alone", async () => {
    const languageModel = scriptedLanguageModel(["Sure!", '{"size": "big"}', '{"size": 3}']);

    expect(await askForJson(request, schema, { languageModel }, signal)).toEqual({ size: 3 });
    expect(languageModel.requests.slice(1)).toEqual(
      ["there is no JSON object in the answer", "size: Invalid input: expected number, received string"].map(
        (problem) => ({
          ...request,
          user: `Plan this.\n\nYour last answer could not be used: ${problem}. Answer again with the whole JSON object.`,
          temperature: 0.5,
        }),
      ),
    );
  });

  it("asks for a shorter answer when one was cut off", async () => {
    const languageModel = scriptedLanguageModel(["{", '{"size": 3}'], "length");

    await askForJson(request, schema, { languageModel }, signal);

    expect(languageModel.requests[1]?.user).toContain("the answer was cut off; be shorter (");
  });

  it("gives up after three replies, with a fault that says what the last one lacked", async () => {
    const languageModel = scriptedLanguageModel(["No.", "No.", "{}"]);

    const asked = askForJson(request, schema, { languageModel }, signal);

    await expect(asked).rejects.toThrow(
      new LanguageModelFault(
        "The model scripted gave no usable plan in 3 answers: size: Invalid input: expected number, received undefined.",
        { retryable: false, status: null },
      ),
    );
    await expect(asked).rejects.toMatchObject({ retryable: false, status: null });
  });
});
