import { describe, expect, it } from "vitest";
import { observationsOf, plan } from "../../src/pipeline/plan.ts";
import type { Symptom } from "../../src/types.ts";
import { scriptedLanguageModel } from "../doubles/scripted-language-model.ts";
import { report } from "../doubles/trials.ts";

const { signal } = new AbortController();
const notFinite: Symptom = { kind: "not-finite", observation: "loss" };
const named: Symptom = { kind: "exception", type: "ValueError", message: "bad", where: null };
const compared: Symptom = {
  kind: "wrong-value",
  observation: "left",
  relation: "equals",
  reference: { observation: "right" },
  tolerance: 0,
};
const observations = [{ name: "loss", meaning: "the loss" }];
const answer = (changes: Record<string, unknown>) =>
  JSON.stringify({ steps: ["Run"], observations, timeoutSeconds: 30, symptom: notFinite, ...changes });

async function planned(replies: string[], symptom: Symptom | null = null) {
  const languageModel = scriptedLanguageModel(replies);
  const context = { packages: ["toy"], snippets: [], usage: "" };
  const input = { report: report({ symptom }), context, issueText: "Title: T", history: "" };
  const result = await plan(input, { languageModel }, signal);
  return { result, prompts: languageModel.requests.map(({ user }) => user) };
}

describe("plan", () => {
  it("fixes the symptom of a silent bug", async () => {
    expect((await planned([answer({})])).result).toEqual({
      steps: ["Run"],
      observations,
      timeoutSeconds: 30,
      symptom: notFinite,
    });
  });

  it("keeps the report's symptom, whatever the model makes of it", async () => {
    const { result, prompts } = await planned([answer({ observations: [], symptom: notFinite })], named);

    expect(result.symptom).toEqual(named);
    expect(prompts).toEqual([expect.stringContaining(`repeat it unchanged: ${JSON.stringify(named)}`)]);
  });

  it.each<[string, Symptom | null, Symptom, string]>([
    ["the planned symptom", null, compared, "right"],
    ["the report's symptom", notFinite, named, "loss"],
  ])("sends back a plan that does not observe what %s speaks of", async (_, fixed, symptom, missing) => {
    const first = answer({ symptom, observations: [{ name: "left", meaning: "" }] });

    const { result, prompts } = await planned([first, answer({})], fixed);

    expect(prompts[1]).toContain(`the symptom speaks of ${missing}, which is not among "observations"`);
    expect(result.symptom).toEqual(notFinite);
  });

  it.each([
    [0, 60],
    ["long", 60],
    [600, 60],
    [120, 120],
  ])("makes a time of %j seconds %i", async (timeoutSeconds, expected) => {
    expect((await planned([answer({ timeoutSeconds })])).result.timeoutSeconds).toBe(expected);
  });
});

describe("observationsOf", () => {
  it("names what a symptom's check reads", () => {
    expect([named, notFinite, compared].map(observationsOf)).toEqual([[], ["loss"], ["left", "right"]]);
  });
});
