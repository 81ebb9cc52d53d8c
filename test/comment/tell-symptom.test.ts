import { describe, expect, it } from "vitest";
import { tellSymptom } from "../../src/comment/tell-symptom.ts";
import type { Symptom } from "../../src/types.ts";

const wrong = { kind: "wrong-value", observation: "out", relation: "at-most", tolerance: 0 } as const;

describe("tellSymptom", () => {
  it.each<[string, Symptom]>([
    [
      "`ValueError` with `bad size` in `forward`, raised by the project's code",
      { kind: "exception", type: "ValueError", message: "bad size", where: "forward" },
    ],
    ["an exception, raised by the project's code", { kind: "exception", type: null, message: null, where: null }],
    ["the process dying by `SIGSEGV`", { kind: "crash", signal: "SIGSEGV" }],
    ["the process dying by a signal", { kind: "crash", signal: null }],
    ["still running after 20 s, in the project's code", { kind: "hang", afterSeconds: 20 }],
    ["`UserWarning` with `step()`", { kind: "warning", category: "UserWarning", message: "step()" }],
    ["a warning", { kind: "warning", category: null, message: null }],
    ["a number of `loss` that is not finite", { kind: "not-finite", observation: "loss" }],
    ["`out` not being at most `[1,2]`", { ...wrong, reference: { value: [1, 2] } }],
    ["`out` not being at most `other` (within 0.1)", { ...wrong, reference: { observation: "other" }, tolerance: 0.1 }],
    ["`loss`, over the steps, does not fall", { kind: "metric", observation: "loss", trend: "not-falling" }],
    [
      "`rss` growing by at least 1024 bytes a step",
      { kind: "resource", observation: "rss", measure: "memory-growth", atLeast: 1024 },
    ],
    ["`ratio` being at least 3", { kind: "resource", observation: "ratio", measure: "time-ratio", atLeast: 3 }],
  ])("says: %s", (told, symptom) => {
    expect(tellSymptom(symptom)).toBe(told);
  });

  it("keeps a message that holds Markdown inside its code span", () => {
    const symptom: Symptom = { kind: "exception", type: null, message: "`x` @someone", where: null };

    expect(tellSymptom(symptom)).toBe("an exception with `` `x` @someone ``, raised by the project's code");
  });
});
