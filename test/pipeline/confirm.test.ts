import { describe, expect, it } from "vitest";
import { contrastNeeded, isContrasted, repeat } from "../../src/pipeline/confirm.ts";
import type { Contrast, Execution, Symptom } from "../../src/types.ts";
import { execution, frame, raising } from "../doubles/executions.ts";
import { scriptedExecutor } from "../doubles/scripted-executor.ts";
import { judged, trialAt } from "../doubles/trials.ts";
import { place } from "./scripted-sandbox.ts";

const { signal } = new AbortController();

async function repeated(input: {
  seed?: number;
  runs: number;
  symptom?: Symptom;
  bySeed: (seed: number) => Execution;
}) {
  const { seed = 0, runs, symptom, bySeed } = input;
  const execute = scriptedExecutor((call) => bySeed(call.seed));
  const attempt = judged({ shows: true, evidence: "" }, { execution: { ...bySeed(seed), seed } });
  const trial = trialAt(place, symptom === undefined ? {} : { symptom });
  const noted: number[] = [];
  const result = await repeat({ attempt, trial, runs }, { execute, onRun: (run) => noted.push(run) }, signal);
  return { result, noted, ran: execute.calls.map((call) => [call.seed, call.timeoutSeconds]) };
}

describe("repeat", () => {
  it("counts in how many runs the symptom shows, the attempt's own included", async () => {
    const { result, ran, noted } = await repeated({ runs: 4, bySeed: (seed) => (seed < 2 ? raising() : execution()) });

    expect(result).toEqual({ runs: 4, shown: 2 });
    expect(ran).toEqual([1, 2, 3].map((seed) => [seed, 60]));
    expect(noted).toEqual([2, 3, 4]);
  });

  it("does not run the attempt's own seed twice", async () => {
    const { result, ran } = await repeated({ seed: 1, runs: 3, bySeed: () => raising() });

    expect(result).toEqual({ runs: 3, shown: 3 });
    expect(ran.map(([seed]) => seed)).toEqual([0, 2]);
  });

  it("runs nothing when the attempt is all that was asked for", async () => {
    expect(await repeated({ runs: 1, bySeed: () => raising() })).toEqual({
      result: { runs: 1, shown: 1 },
      noted: [],
      ran: [],
    });
  });

  it("runs a hang once more, with twice its time", async () => {
    const hangs = execution({ ending: { how: "timeout", stack: [frame("project")] } });
    const symptom: Symptom = { kind: "hang", afterSeconds: 5 };

    const { result, ran } = await repeated({ seed: 1, runs: 2, symptom, bySeed: () => hangs });

    expect(ran).toEqual([
      [0, 5],
      [1, 10],
    ]);
    expect(result).toEqual({ runs: 2, shown: 2 });
  });

  it("counts no run of a hang that ends when it is given twice its time", async () => {
    const hangs = execution({ ending: { how: "timeout", stack: [frame("project")] } });
    const attempt = judged({ shows: true, evidence: "" }, { execution: hangs });
    const execute = scriptedExecutor((call) => (call.timeoutSeconds > 5 ? execution() : hangs));
    const trial = trialAt(place, { symptom: { kind: "hang", afterSeconds: 5 } });

    const result = await repeat({ attempt, trial, runs: 3 }, { execute, onRun: () => {} }, signal);

    expect(result).toEqual({ runs: 3, shown: 0 });
  });
});

const dies = (stack: Parameters<typeof frame>[0][]) =>
  execution({ ending: { how: "signal", signal: "SIGSEGV", stack: stack.map((where) => frame(where)) } });
const warns = (where: "project" | "library") =>
  execution({
    warnings: [{ category: "UserWarning", bases: [], message: "", file: "a.py", line: 1, in: where }],
  });

describe("contrastNeeded", () => {
  it.each<[string, ReturnType<typeof contrastNeeded>, Symptom, Execution]>([
    ["a message", "none", { kind: "exception", type: "ValueError", message: "shape", where: null }, raising()],
    [
      "a message with other numbers",
      "any",
      {
        kind: "exception",
        type: "RuntimeError",
        message: "mat1 and mat2 shapes cannot be multiplied (1x16 and 16x8)",
        where: null,
      },
      raising({ message: "mat1 and mat2 shapes cannot be multiplied (3x5 and 16x8)" }),
    ],
    ["a place", "none", { kind: "exception", type: "ValueError", message: null, where: "forward" }, raising()],
    [
      "a refusal of the project",
      "project",
      { kind: "exception", type: "ValueError", message: "shape", where: null },
      raising({ frames: [frame("script"), frame("project", { code: "raise ValueError(shape)" })] }),
    ],
    ["a class alone", "any", { kind: "exception", type: "ValueError", message: null, where: null }, raising()],
    ["an unnamed exception", "any", { kind: "exception", type: null, message: null, where: null }, raising()],
    ["a crash below the project", "none", { kind: "crash", signal: null }, dies(["script", "project", "library"])],
    ["a crash below the script", "any", { kind: "crash", signal: null }, dies(["project", "script", "library"])],
    ["a crash without a stack", "any", { kind: "crash", signal: null }, dies([])],
    ["a hang", "any", { kind: "hang", afterSeconds: 5 }, execution()],
    ["a warning of the project", "none", { kind: "warning", category: "UserWarning", message: null }, warns("project")],
    ["any warning of the project", "project", { kind: "warning", category: null, message: null }, warns("project")],
    ["a warning of a library", "project", { kind: "warning", category: null, message: null }, warns("library")],
    ["a number that is not finite", "project", { kind: "not-finite", observation: "x" }, execution()],
    [
      "a wrong value",
      "project",
      { kind: "wrong-value", observation: "x", relation: "equals", reference: { value: 1 }, tolerance: 0 },
      execution(),
    ],
    ["a metric", "project", { kind: "metric", observation: "x", trend: "stuck" }, execution()],
    ["memory", "project", { kind: "resource", observation: "x", measure: "memory-growth", atLeast: 1 }, execution()],
  ])("for %s is %s", (_, needed, symptom, seen) => {
    expect(contrastNeeded(symptom, seen)).toBe(needed);
  });
});

describe("isContrasted", () => {
  const by = (by: Contrast["by"], flips = true): Contrast => ({
    by,
    description: "",
    diff: null,
    flips,
    explanation: "",
    cause: null,
  });

  it.each<["project" | "any" | "none", Contrast[], boolean]>([
    ["none", [], true],
    ["any", [], false],
    ["any", [by("neighbouring-configuration")], true],
    ["any", [by("suggested-change", false)], false],
    ["project", [by("neighbouring-configuration")], false],
    ["project", [by("neighbouring-configuration"), by("candidate-change", false)], false],
    ["project", [by("other-ref", false), by("candidate-change")], true],
    ["project", [by("other-ref")], true],
  ])("where %s is needed, of %j: %s", (needed, contrasts, contrasted) => {
    expect(isContrasted(needed, contrasts)).toBe(contrasted);
  });
});
