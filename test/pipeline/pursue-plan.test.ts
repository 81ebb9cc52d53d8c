import { describe, expect, it } from "vitest";
import { pursuePlan } from "../../src/pipeline/pursue-plan.ts";
import type { Attempt, Execution } from "../../src/types.ts";
import { execution, frame, raising } from "../doubles/executions.ts";
import { scriptedExecutor } from "../doubles/scripted-executor.ts";
import { scriptedLanguageModel } from "../doubles/scripted-language-model.ts";
import { judged, report, trialAt } from "../doubles/trials.ts";
import { place, scriptedSandbox } from "./scripted-sandbox.ts";

const { signal } = new AbortController();
const script = (name: string) => `import toy\ntoy.${name}()\n`;
const reply = (name: string) => `\`\`\`python\n${script(name)}\`\`\``;
const failsInScript = raising({ frames: [frame("script")] });
const earlier = judged(
  { shows: false, because: "set-up", explanation: "TypeError" },
  { candidate: { source: script("posted"), from: "reporter" } },
);

async function pursue(input: {
  replies: string[];
  executions?: Record<string, Execution>;
  earlier?: Attempt[];
  maxAttempts?: number;
}) {
  const languageModel = scriptedLanguageModel(input.replies);
  const execute = scriptedExecutor(({ source }) => {
    const name = /toy\.(\w+)/.exec(source)?.[1] ?? "";
    return input.executions?.[name] ?? execution();
  });
  const told: number[] = [];
  const trial = trialAt(place);
  const plan = { symptom: trial.symptom, steps: ["Run"], observations: [], timeoutSeconds: 60 };
  const context = { packages: ["toy"], snippets: [], usage: "" };
  const attempts = await pursuePlan(
    { report: report(), plan, context, trial, earlier: input.earlier ?? [], maxAttempts: input.maxAttempts ?? 5 },
    {
      languageModel,
      execute,
      sandbox: scriptedSandbox({ result: '{"problems": []}' }),
      onAttempt: ({ number }) => told.push(number),
    },
    signal,
  );
  const outline = attempts.map(({ number, candidate, judgement }) => [
    number,
    candidate.source,
    judgement?.shows || judgement?.because,
  ]);
  return { attempts: outline, told, prompts: languageModel.requests.map(({ user }) => user) };
}

describe("pursuePlan", () => {
  it("stops at the script that shows the symptom, and numbers on from the earlier attempts", async () => {
    const { attempts, told } = await pursue({
      replies: [reply("a"), reply("b"), reply("c")],
      executions: { a: failsInScript, b: raising() },
      earlier: [earlier],
    });

    expect(attempts).toEqual([
      [1, script("posted"), "set-up"],
      [2, script("a"), "set-up"],
      [3, script("b"), true],
    ]);
    expect(told).toEqual([2, 3]);
  });

  it("stops when two scripts of the model ran clean", async () => {
    const clean = judged(
      { shows: false, because: "ran-clean", explanation: "" },
      { candidate: { source: script("posted"), from: "reporter" } },
    );

    const { attempts } = await pursue({ replies: [reply("a"), reply("b"), reply("c")], earlier: [clean] });

    expect(attempts.map(([number]) => number)).toEqual([1, 2, 3]);
  });

  it("asks no more often than it may, replies that were no script included", async () => {
    const { attempts, prompts } = await pursue({ replies: ["Sorry.", reply("a"), "Sorry."], maxAttempts: 3 });

    expect(attempts).toEqual([[1, script("a"), "ran-clean"]]);
    expect(prompts).toHaveLength(3);
  });

  it("tells the model what came of the last script", async () => {
    const { prompts } = await pursue({
      replies: [reply("a"), reply("b")],
      executions: { a: failsInScript, b: raising() },
    });

    expect(prompts[0]).not.toContain("Earlier scripts");
    expect(prompts[1]).toContain(
      `Script 1:\n\`\`\`python\n${script("a")}\`\`\`\n  script.py:10 in forward: \nJudged: `,
    );
  });

  it("says once why a reply could not be used", async () => {
    const { prompts } = await pursue({ replies: ["Sorry.", reply("a"), reply("b")] });

    const problem = "Your last answer could not be used: there is no ```python block in the answer.";
    expect(prompts.map((prompt) => prompt.includes(problem))).toEqual([false, true, false]);
  });

  it("refuses a script that was tried before, the reporter's included", async () => {
    const { attempts, prompts } = await pursue({
      replies: [reply("posted"), reply("a"), reply("a"), reply("b")],
      executions: { a: failsInScript, b: raising() },
      earlier: [earlier],
    });

    expect(attempts.map(([, source]) => source)).toEqual([script("posted"), script("a"), script("b")]);
    expect(prompts[1]).toContain("Your last answer was script 1 again.");
    expect(prompts[3]).toContain("Your last answer was script 2 again.");
  });
});
