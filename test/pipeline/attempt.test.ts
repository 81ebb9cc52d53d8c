import { describe, expect, it } from "vitest";
import { attempt, executionSeconds, seedsFor } from "../../src/pipeline/attempt.ts";
import { execution, frame, raising } from "../doubles/executions.ts";
import { scriptedExecutor } from "../doubles/scripted-executor.ts";
import { trialAt } from "../doubles/trials.ts";
import { place, scriptedSandbox } from "./scripted-sandbox.ts";

const { signal } = new AbortController();
const candidate = { source: "import toy\ntoy.run()\n", from: "model" } as const;
const valid = scriptedSandbox({ result: '{"problems": []}' });
const trial = trialAt(place);

describe("attempt", () => {
  it("does not run a candidate that fails validation", async () => {
    const problems = [{ kind: "mimic", line: 2, message: "It raises." }];
    const sandbox = scriptedSandbox({ result: JSON.stringify({ problems }) });
    const execute = scriptedExecutor(() => raising());

    const made = await attempt({ number: 4, candidate, trial }, { sandbox, execute }, signal);

    expect(made).toEqual({
      number: 4,
      candidate,
      validation: { ok: false, problems },
      execution: null,
      judgement: null,
    });
    expect(execute.calls).toEqual([]);
  });

  it("keeps the execution and what the judge says of it", async () => {
    const execute = scriptedExecutor(() => raising({ message: "bad" }));

    const made = await attempt({ number: 1, candidate, trial }, { sandbox: valid, execute }, signal);

    expect(made).toEqual({
      number: 1,
      candidate,
      validation: { ok: true },
      execution: raising({ message: "bad" }),
      judgement: { shows: true, evidence: "RuntimeError: bad in toy/model.py:10 (forward)" },
    });
    expect(execute.calls).toEqual([{ source: candidate.source, seed: 0, timeoutSeconds: 60, place }]);
  });

  it.each([
    ["until one shows it", [execution(), raising(), execution()], [0, 1], 1],
    ["until one fails otherwise", [execution(), raising({ frames: [frame("script")] }), raising()], [0, 1], 0],
    ["while they run clean", [execution(), execution(), execution()], [0, 1, 2], 2],
    ["not beyond a first one that shows it", [raising(), execution(), execution()], [0], 0],
  ] as const)("tries further seeds %s", async (_, bySeed, seeds, kept) => {
    const execute = scriptedExecutor(({ seed }) => ({ ...(bySeed[seed] ?? execution()), seed }));
    const several = trialAt(place, { seeds: [0, 1, 2] });

    const made = await attempt({ number: 1, candidate, trial: several }, { sandbox: valid, execute }, signal);

    expect(execute.calls.map(({ seed }) => seed)).toEqual(seeds);
    expect(made.execution?.seed).toBe(kept);
  });
});

describe("seedsFor", () => {
  it("has several only for a bug that shows in some runs", () => {
    expect(seedsFor(false, 3)).toEqual([0]);
    expect(seedsFor(true, 3)).toEqual([0, 1, 2]);
  });
});

describe("executionSeconds", () => {
  it("waits for a hang as long as it has to hang, whatever the plan says", () => {
    expect(executionSeconds(trial)).toBe(60);
    expect(executionSeconds(trialAt(place, { symptom: { kind: "hang", afterSeconds: 20 } }))).toBe(20);
  });
});
