import { describe, expect, it } from "vitest";
import { judge } from "../../../src/pipeline/judge/judge.ts";
import type { Execution, Symptom } from "../../../src/types.ts";
import { execution, frame, raising } from "../../doubles/executions.ts";

const seen = (value: unknown) => execution({ observed: { it: value } });
const dies = (signal: string) => execution({ ending: { how: "signal", signal, stack: [] } });
const warned = (where: "script" | "project" | "library", changes: Partial<Execution> = {}) =>
  execution({
    warnings: [
      {
        category: "torch.FancyWarning",
        bases: ["FancyWarning", "UserWarning", "Warning", "Exception"],
        message: "Detected call of `lr_scheduler.step()` before `optimizer.step()`",
        file: "train.py",
        line: 3,
        in: where,
      },
    ],
    ...changes,
  });
const falling = Array.from({ length: 20 }, (_, step) => 2 - step * 0.09);
const noisyFlat = Array.from({ length: 20 }, (_, step) => 2 + 0.01 * (step % 3));

const wrongValue = (
  relation: "equals" | "differs" | "less" | "at-most" | "greater" | "at-least",
  value: never,
  tolerance = 0,
) => ({ kind: "wrong-value", observation: "it", relation, reference: { value }, tolerance }) as Symptom;
const value = (json: unknown) => json as never;

const table: [string, Execution, Symptom, true | string][] = [
  ["a crash by the reported signal", dies("SIGSEGV"), { kind: "crash", signal: "SIGSEGV" }, true],
  ["a crash by another signal", dies("SIGABRT"), { kind: "crash", signal: "SIGSEGV" }, "different-symptom"],
  ["any crash of its own for an unnamed one", dies("SIGFPE"), { kind: "crash", signal: null }, true],
  ["a kill from outside for an unnamed crash", dies("SIGKILL"), { kind: "crash", signal: null }, "different-symptom"],
  ["no crash", execution(), { kind: "crash", signal: null }, "ran-clean"],

  [
    "a hang in the project",
    execution({ ending: { how: "timeout", stack: [frame("project")] } }),
    { kind: "hang", afterSeconds: 5 },
    true,
  ],
  [
    "a hang in the script",
    execution({ ending: { how: "timeout", stack: [frame("script")] } }),
    { kind: "hang", afterSeconds: 5 },
    "not-the-project",
  ],
  ["an end in time", execution(), { kind: "hang", afterSeconds: 5 }, "ran-clean"],

  [
    "the reported warning",
    warned("library"),
    { kind: "warning", category: "UserWarning", message: "before `optimizer.step()`" },
    true,
  ],
  [
    "the warning, then an exception",
    warned("project", { ending: raising().ending }),
    { kind: "warning", category: null, message: null },
    true,
  ],
  ["a warning of the script", warned("script"), { kind: "warning", category: null, message: null }, "set-up"],
  [
    "another warning",
    warned("project"),
    { kind: "warning", category: "DeprecationWarning", message: null },
    "ran-clean",
  ],

  ["a NaN in a nested list", seen([1, [2, "NaN"]]), { kind: "not-finite", observation: "it" }, true],
  ["an infinity in a dictionary", seen({ a: "-Infinity" }), { kind: "not-finite", observation: "it" }, true],
  ["finite numbers", seen([1, 2.5]), { kind: "not-finite", observation: "it" }, "ran-clean"],
  ["text for numbers", seen("nan"), { kind: "not-finite", observation: "it" }, "not-observed"],
  ["no observation", execution(), { kind: "not-finite", observation: "it" }, "not-observed"],

  ["a value that should be equal", seen(3), wrongValue("equals", value(4)), true],
  ["equal within the tolerance", seen(3.9), wrongValue("equals", value(4), 0.2), "ran-clean"],
  [
    "a list that differs in one place",
    seen([
      [1, 2],
      [3, 5],
    ]),
    wrongValue(
      "equals",
      value([
        [1, 2],
        [3, 4],
      ]),
    ),
    true,
  ],
  ["lists of other lengths", seen([1]), wrongValue("equals", value([1, 2])), true],
  ["a NaN that should be a number", seen("NaN"), wrongValue("equals", value(0)), true],
  ["a NaN that should be at most one", seen("NaN"), wrongValue("at-most", value(1)), true],
  ["a true that should be false", seen(true), wrongValue("equals", value(false)), true],
  ["the same where it should differ", seen("a"), wrongValue("differs", value("a")), true],
  ["text that cannot be less", seen("a"), wrongValue("less", value(1)), "not-observed"],
  ["less, as it should", seen(0.5), wrongValue("less", value(1)), "ran-clean"],
  [
    "one observation against another",
    execution({ observed: { it: 1, other: 2 } }),
    { kind: "wrong-value", observation: "it", relation: "equals", reference: { observation: "other" }, tolerance: 0 },
    true,
  ],

  ["a loss that does not fall", seen(noisyFlat), { kind: "metric", observation: "it", trend: "not-falling" }, true],
  ["a loss that falls", seen(falling), { kind: "metric", observation: "it", trend: "not-falling" }, "ran-clean"],
  [
    "a loss that is NaN in the end",
    seen([...falling, "NaN"]),
    { kind: "metric", observation: "it", trend: "not-falling" },
    true,
  ],
  ["an accuracy that falls", seen(falling), { kind: "metric", observation: "it", trend: "not-rising" }, true],
  [
    "a loss that explodes",
    seen(falling.map((_, step) => 1.5 ** step)),
    { kind: "metric", observation: "it", trend: "diverging" },
    true,
  ],
  ["a loss that only wavers", seen(noisyFlat), { kind: "metric", observation: "it", trend: "diverging" }, "ran-clean"],
  ["a constant", seen(Array(10).fill(0.7)), { kind: "metric", observation: "it", trend: "stuck" }, true],
  [
    "a loss that is zero all along",
    seen(Array(10).fill(0)),
    { kind: "metric", observation: "it", trend: "not-falling" },
    "not-observed",
  ],
  [
    "an observation of a script that gave up",
    execution({ ending: { how: "completed", exitCode: 1 }, observed: { it: "NaN" } }),
    { kind: "not-finite", observation: "it" },
    "set-up",
  ],
  ["too few steps", seen([1, 2, 3]), { kind: "metric", observation: "it", trend: "stuck" }, "not-observed"],

  [
    "memory that grows",
    seen(falling.map((_, step) => 1e8 + step * 5e6)),
    { kind: "resource", observation: "it", measure: "memory-growth", atLeast: 1e6 },
    true,
  ],
  [
    "memory that grows while warming up",
    seen(falling.map((_, step) => 1e8 + Math.min(step, 8) * 5e6)),
    { kind: "resource", observation: "it", measure: "memory-growth", atLeast: 1e6 },
    "ran-clean",
  ],
  [
    "a ratio that is too high",
    seen(12),
    { kind: "resource", observation: "it", measure: "time-ratio", atLeast: 10 },
    true,
  ],

  [
    "an observation before an exception",
    { ...raising(), observed: { it: "NaN" } },
    { kind: "not-finite", observation: "it" },
    "different-symptom",
  ],
];

describe("judge", () => {
  it("tells a hang by the function that it is in, not by where in it", () => {
    const stack = [
      frame("script"),
      frame("project", { function: "batches" }),
      frame("project", { function: "<listcomp>" }),
    ];
    const hangs = execution({ ending: { how: "timeout", stack } });
    expect(judge(hangs, { kind: "hang", afterSeconds: 5 })).toEqual({
      shows: true,
      evidence: "still running after 5 s, in toy/model.py (batches)",
    });
  });

  it.each(table)("%s", (_, seenExecution, symptom, expected) => {
    const judgement = judge(seenExecution, symptom);
    expect(judgement.shows ? true : judgement.because).toBe(expected);
  });

  it("does not count what a script shows after it replaced parts of the project", () => {
    const { project, ...rest } = seen("NaN");
    const replaced = { ...rest, project: { ...project, replaced: ["toy.model.attend"] } };
    expect(judge(replaced, { kind: "not-finite", observation: "it" })).toEqual({
      shows: false,
      because: "not-the-project",
      explanation: "the script replaced toy.model.attend",
    });
  });

  it("does not take an observation for the project's when none of its functions ran", () => {
    const untouched = { ...seen("NaN"), project: { imported: ["toy/__init__.py"], entered: [], replaced: [] } };
    expect(judge(untouched, { kind: "not-finite", observation: "it" })).toMatchObject({
      shows: false,
      because: "not-the-project",
    });
  });
});
