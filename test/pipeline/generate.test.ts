import { describe, expect, it } from "vitest";
import { generate } from "../../src/pipeline/generate.ts";
import { scriptedLanguageModel } from "../doubles/scripted-language-model.ts";
import { judged, report, trialAt } from "../doubles/trials.ts";
import { readOf } from "./make-index.ts";
import { place } from "./scripted-sandbox.ts";

const { signal } = new AbortController();
const input = {
  report: report({ read: readOf({ runnableCode: "toy.posted()" }) }),
  plan: {
    symptom: trialAt(place).symptom,
    steps: ["Import", "Run"],
    observations: [{ name: "loss", meaning: "the loss" }],
    timeoutSeconds: 60,
  },
  context: { packages: ["toy"], snippets: [], usage: "" },
  environment: { ...place.environment, packages: { torch: "2.0", pip: "24", einops: "0.8" } },
  attempts: [],
  problem: null,
};

describe("generate", () => {
  it("makes a candidate of the script in the reply", async () => {
    const languageModel = scriptedLanguageModel(["Here:\n```python\nimport toy\n```"]);

    expect(await generate(input, { languageModel }, signal)).toEqual({
      ok: true,
      candidate: { source: "import toy\n", from: "model" },
    });
  });

  it("shows the plan, the posted code and what is installed, build tools left out", async () => {
    const languageModel = scriptedLanguageModel(["```python\nimport toy\n```"]);

    await generate(input, { languageModel }, signal);

    const user = languageModel.requests[0]?.user;
    expect(user).toContain("1. Import\n2. Run");
    expect(user).toContain("- loss: the loss");
    expect(user).toContain("```python\ntoy.posted()\n```");
    expect(user).toContain("imported as: toy. Installed beside it: einops, torch.");
    expect(user).toContain(JSON.stringify(input.plan.symptom));
  });

  it("is steady at first and varies once there are attempts", async () => {
    const languageModel = scriptedLanguageModel(["```python\nimport toy\n```", "```python\nimport toy\n```"]);
    const attempts = [judged({ shows: false, because: "ran-clean", explanation: "fine" })];

    await generate(input, { languageModel }, signal);
    await generate({ ...input, attempts, problem: "Too long." }, { languageModel }, signal);

    expect(languageModel.requests.map(({ temperature }) => temperature)).toEqual([0, 0.4]);
    expect(languageModel.requests[1]?.user).toContain(
      "Judged: the symptom does not show: fine.\n\nToo long.\n\nWrite a script that does better",
    );
  });

  it.each([
    ["stop", "Your last answer could not be used: there is no ```python block in the answer."],
    [
      "length",
      "Your last answer could not be used: there is no ```python block in the answer and it was cut off; write a shorter script.",
    ],
  ] as const)("says what is wrong with a reply without code that ended by %s", async (finishReason, problem) => {
    const languageModel = scriptedLanguageModel(["I think"], finishReason);

    expect(await generate(input, { languageModel }, signal)).toEqual({ ok: false, problem });
  });
});
