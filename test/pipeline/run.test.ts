import { describe, expect, it, vi } from "vitest";
import { BudgetFault } from "../../src/errors.ts";
import { type Progress, startRun } from "../../src/pipeline/run.ts";
import { scriptedLanguageModel } from "../doubles/scripted-language-model.ts";

const { signal } = new AbortController();
const nothing = { attempts: 0, modelCalls: 0, promptTokens: 0, completionTokens: 0, executions: 0 };
const limits = { maxTokens: 1000, maxAttempts: 3, maxDurationMs: 60_000 };
const request = { stage: "plan", system: "You plan.", user: "Plan this.", maxTokens: 100, temperature: 0 };
const call = { event: "model-call", stage: "plan", system: "You plan.", user: "Plan this." };

function start(changes: Partial<typeof limits> = {}) {
  const told: Progress[] = [];
  return { run: startRun({ ...limits, ...changes }, (progress) => told.push(progress)), told };
}

/** With a clock that only moves when `wait` says so. */
async function atTime(test: (wait: (ms: number) => void) => Promise<void>) {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    await test((ms) => vi.advanceTimersByTime(ms));
  } finally {
    vi.useRealTimers();
  }
}

describe("stage", () => {
  it("times and records what succeeds, and tells the watcher", async () => {
    await atTime(async (wait) => {
      const { run, told } = start();
      wait(100);

      const action = async () => {
        wait(250);
        run.note("halfway");
        run.spent.executions += 1;
        return 3;
      };
      expect(await run.stage("index", action, (files) => `${files} files`)).toBe(3);

      expect(run.events).toEqual([
        { atMs: 350, event: "stage", stage: "index", durationMs: 250, detail: "3 files", error: null },
      ]);
      expect(told).toEqual([
        { type: "stage-started", stage: "index", spent: nothing },
        { type: "note", stage: "index", text: "halfway" },
        {
          type: "stage-ended",
          stage: "index",
          durationMs: 250,
          detail: "3 files",
          failed: false,
          spent: { ...nothing, executions: 1 },
        },
      ]);
    });
  });

  it("records an error and passes it on", async () => {
    const { run, told } = start();
    const error = new TypeError("x is not a function");

    await expect(run.stage("plan", () => Promise.reject(error))).rejects.toBe(error);

    expect(run.events).toMatchObject([{ event: "stage", stage: "plan", detail: "", error: "x is not a function" }]);
    expect(told.at(-1)).toMatchObject({ type: "stage-ended", detail: "x is not a function", failed: true });
  });

  it("gives notes to the innermost stage that is running", async () => {
    const { run, told } = start();

    await run.stage("outer", async () => {
      await run.stage("inner", async () => run.note("in"));
      run.note("out");
    });
    run.note("after");

    const notes = told.flatMap((each) => (each.type === "note" ? [[each.stage, each.text]] : []));
    expect(notes).toEqual([
      ["inner", "in"],
      ["outer", "out"],
      ["", "after"],
    ]);
  });
});

describe("meter", () => {
  it("counts tokens and records each call", async () => {
    const { run } = start();
    const model = scriptedLanguageModel(["one", "two"]);
    const metered = run.meter(model);

    await metered.complete(request, signal);
    await metered.complete(request, signal);

    expect(run.spent).toEqual({ ...nothing, modelCalls: 2, promptTokens: 20, completionTokens: 10 });
    expect(run.events).toMatchObject([
      { ...call, reply: "one", error: null },
      { ...call, reply: "two", error: null },
    ]);
    expect(metered.description).toBe(model.description);
  });

  it("refuses a call that would not fit, before it is made", async () => {
    const { run } = start({ maxTokens: 119 });
    const model = scriptedLanguageModel(["one"]);
    const metered = run.meter(model);
    await metered.complete(request, signal);

    await expect(metered.complete(request, signal)).rejects.toThrow(
      new BudgetFault("The next call could take 105 tokens, and of 119 for this issue 15 are used."),
    );

    expect(model.requests).toHaveLength(1);
    expect(run.spent.modelCalls).toBe(1);
    expect(run.events).toHaveLength(1);
  });

  it("counts and records a call that fails", async () => {
    const { run } = start();
    const error = new Error("connection reset");
    const metered = run.meter({ description: "broken", complete: () => Promise.reject(error) });

    await expect(metered.complete(request, signal)).rejects.toBe(error);

    expect(run.spent).toEqual({ ...nothing, modelCalls: 1 });
    expect(run.events).toMatchObject([{ ...call, reply: null, error: "connection reset" }]);
  });

  it("makes no call once the time is used up", async () => {
    await atTime(async (wait) => {
      const { run } = start();
      const model = scriptedLanguageModel(["one", "two"]);
      const metered = run.meter(model);

      wait(59_999);
      await metered.complete(request, signal);
      wait(1);

      await expect(metered.complete(request, signal)).rejects.toThrow(
        new BudgetFault("The 60 seconds for this issue are used up."),
      );
      expect(model.requests).toHaveLength(1);
    });
  });
});
