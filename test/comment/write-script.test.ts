import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { writeScript } from "../../src/comment/write-script.ts";
import { judge } from "../../src/pipeline/judge/judge.ts";
import type { Symptom } from "../../src/types.ts";
import { execution } from "../doubles/executions.ts";

function runByHand(source: string, symptom: Symptom) {
  const { status, signal, stdout } = spawnSync("python3", ["-c", writeScript(source, symptom)], { encoding: "utf8" });
  return { status, signal, stdout };
}

const wrongValue = (relation: string, value: unknown, tolerance = 0) =>
  ({ kind: "wrong-value", observation: "it", relation, reference: { value }, tolerance }) as Symptom;
const metric = (trend: string) => ({ kind: "metric", observation: "it", trend }) as Symptom;
const resource = (measure: string, atLeast: number) =>
  ({ kind: "resource", observation: "it", measure, atLeast }) as Symptom;
const notFinite: Symptom = { kind: "not-finite", observation: "it" };

/** What Python holds, and how the harness tells it. */
const values: [string, unknown][] = [
  ["0", 0],
  ["2.5", 2.5],
  ["-1e9", -1e9],
  ["True", true],
  ["'a'", "a"],
  ["float('nan')", "NaN"],
  ["[1, 2, [3]]", [1, 2, [3]]],
  ["[1.0, float('inf')]", [1, "Infinity"]],
  ["[2 - 0.09 * i for i in range(20)]", Array.from({ length: 20 }, (_, i) => 2 - 0.09 * i)],
  ["[1.5 ** i for i in range(20)]", Array.from({ length: 20 }, (_, i) => 1.5 ** i)],
  ["[0.5] * 9", Array(9).fill(0.5)],
  ["[float(i % 3) for i in range(8)] + [float('nan')]", [...Array.from({ length: 8 }, (_, i) => i % 3), "NaN"]],
];

const symptoms: Symptom[] = [
  notFinite,
  wrongValue("equals", 2.4, 0.2),
  wrongValue("equals", [1, 2, [3]]),
  wrongValue("equals", null),
  wrongValue("differs", "a"),
  wrongValue("less", 1),
  wrongValue("at-most", 0),
  wrongValue("greater", 2.5),
  wrongValue("at-least", 2.5),
  metric("not-falling"),
  metric("not-rising"),
  metric("diverging"),
  metric("stuck"),
  resource("memory-growth", 0.5),
  resource("time-ratio", 2),
];

/** Python that runs each script of a JSON list and prints the list of their exit statuses. */
const exitStatuses = `
import json, sys
statuses = []
for script in json.load(sys.stdin):
    try:
        exec(script, {"__name__": "__main__"})
        statuses.append(0)
    except SystemExit as end:
        statuses.append(end.code)
print(json.dumps(statuses))
`;

describe("writeScript", () => {
  it.each(symptoms)("checks by hand as the judge does: %j", (symptom) => {
    const judged = values.flatMap(([python, told]) => {
      const judgement = judge(execution({ observed: { it: told } }), symptom);
      return !judgement.shows && judgement.because === "not-observed"
        ? []
        : [{ python, status: judgement.shows ? 1 : 0 }];
    });

    const scripts = judged.map(({ python }) => writeScript(`observed = {"it": ${python}}`, symptom));
    const { stdout } = spawnSync("python3", ["-c", exitStatuses], { input: JSON.stringify(scripts), encoding: "utf8" });

    const byHand = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    expect(judged.map(({ python }, index) => ({ python, status: byHand[index] }))).toEqual(judged);
  });

  it("compares two observations", () => {
    const symptom: Symptom = {
      kind: "wrong-value",
      observation: "a",
      relation: "equals",
      reference: { observation: "b" },
      tolerance: 0,
    };
    expect(runByHand('observed = {"a": 1, "b": 2}', symptom).status).toBe(1);
    expect(runByHand('observed = {"a": 1, "b": 1}', symptom).status).toBe(0);
  });

  it("ends with 2 when the observation is missing", () => {
    expect(runByHand("observed = {}", notFinite).status).toBe(2);
    expect(runByHand("observed = {'it': [1.0]}", metric("stuck")).status).toBe(2);
  });

  it("lets an exception end it with 1", () => {
    const symptom: Symptom = { kind: "exception", type: "ValueError", message: null, where: null };
    expect(runByHand("int('x')", symptom).status).toBe(1);
    expect(runByHand("int('1')", symptom)).toMatchObject({ status: 0, stdout: "the bug does not show\n" });
  });

  it("ends a hang with 1 after its time", () => {
    const symptom: Symptom = { kind: "hang", afterSeconds: 0.5 };
    expect(runByHand("from __future__ import annotations\nwhile True: pass", symptom).status).toBe(1);
    expect(runByHand("x = 1", symptom).status).toBe(0);
  });

  it("turns the reported warning, and no other, into an exception", () => {
    const symptom: Symptom = { kind: "warning", category: "UserWarning", message: "a (b)\nc" };
    expect(runByHand("import warnings\nwarnings.warn('see: a (b)\\nc')", symptom).status).toBe(1);
    expect(runByHand("import warnings\nwarnings.warn('other')", symptom).status).toBe(0);
  });

  it("dies by the signal of a crash", () => {
    const crash: Symptom = { kind: "crash", signal: "SIGABRT" };
    expect(runByHand("import os\nos.abort()", crash).signal).toBe("SIGABRT");
  });
});
