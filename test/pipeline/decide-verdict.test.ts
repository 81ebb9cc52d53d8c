import { describe, expect, it } from "vitest";
import { BudgetFault, EnvironmentFault, LanguageModelFault } from "../../src/errors.ts";
import { fromAttempts, fromConfirmation, fromError } from "../../src/pipeline/decide-verdict.ts";
import type { Attempt, Contrast, Judgement } from "../../src/types.ts";
import { environment, execution, raising } from "../doubles/executions.ts";

const contrast = (changes: Partial<Contrast> = {}): Contrast => ({
  by: "suggested-change",
  description: "the change that the report suggests",
  diff: "",
  flips: true,
  explanation: "ran to its end",
  cause: null,
  ...changes,
});
const judged = (judgement: Judgement): Attempt => ({
  number: 1,
  candidate: { source: "", from: "model" },
  validation: { ok: true },
  execution: execution(),
  judgement,
});
const unseen = (because: Extract<Judgement, { shows: false }>["because"]) =>
  judged({ shows: false, because, explanation: because });

describe("fromConfirmation", () => {
  it("is reproduced when every run shows it and nothing more is needed", () => {
    expect(fromConfirmation({ runs: 3, shown: 3, contrasts: [] }, "none").verdict).toBe("reproduced");
  });

  it("is flaky when some runs show it", () => {
    expect(fromConfirmation({ runs: 5, shown: 2, contrasts: [contrast()] }, "project").verdict).toBe("flaky");
  });

  it.each([
    ["there is no contrast", []],
    ["no contrast flips", [contrast({ flips: false })]],
    ["only the script was changed", [contrast({ by: "neighbouring-configuration" })]],
  ])("is not reproduced when a contrast in the project is needed and %s", (_, contrasts) => {
    expect(fromConfirmation({ runs: 3, shown: 3, contrasts }, "project").verdict).toBe("not-reproduced");
  });

  it("takes a neighbouring configuration where any contrast will do", () => {
    const contrasts = [contrast({ by: "neighbouring-configuration" })];
    expect(fromConfirmation({ runs: 1, shown: 1, contrasts }, "any").verdict).toBe("reproduced");
  });
});

describe("fromAttempts", () => {
  it.each([
    [["ran-clean"], "not-reproduced"],
    [["different-symptom"], "different-symptom"],
    [["different-symptom", "ran-clean"], "not-reproduced"],
    [["set-up", "took-too-long"], "not-reproduced"],
    [[], "failed"],
  ] as const)("makes %j %s", (reasons, verdict) => {
    expect(fromAttempts(reasons.map(unseen), null, "").verdict).toBe(verdict);
  });

  it("blames the environment when a script lacks what could not be installed", () => {
    const missing = raising({
      type: "ModuleNotFoundError",
      bases: ["ImportError"],
      message: "No module named 'torch_scatter'",
    });
    const attempt = { ...unseen("set-up"), execution: missing };
    const reason = "no build of it can be had";
    const substitutions = [{ wanted: "torch-scatter>=2", got: "not installed", reason }];
    expect(fromAttempts([attempt], environment({ substitutions }), "")).toEqual({
      verdict: "unsupported-environment",
      reason: "The project needs torch-scatter>=2: no build of it can be had.",
    });
    expect(fromAttempts([attempt], environment({ substitutions: [] }), "").verdict).toBe("not-reproduced");
  });

  it("says what kept the only script from being run", () => {
    const problem = { kind: "unknown-name", line: 1, message: "There is no pad_left in padkit." } as const;
    const refused: Attempt = { ...unseen("set-up"), validation: { ok: false, problems: [problem] }, judgement: null };
    expect(fromAttempts([refused], null, "").reason).toBe("No script could be run: There is no pad_left in padkit.");
  });

  it("is never reproduced, whatever the attempts say", () => {
    expect(fromAttempts([judged({ shows: true, evidence: "" })], null, "").verdict).toBe("failed");
  });
});

describe("fromError", () => {
  it.each([
    [new BudgetFault("used up"), "budget-exhausted"],
    [new DOMException("time", "TimeoutError"), "budget-exhausted"],
    [new EnvironmentFault("No.", { reason: "No matching distribution found", log: "" }), "unsupported-environment"],
    [new LanguageModelFault("down", { retryable: true, status: null }), "failed"],
    [new TypeError("x is not a function"), "failed"],
    ["text", "failed"],
  ] as const)("makes %s %s", (error, verdict) => {
    expect(fromError(error, false).verdict).toBe(verdict);
  });

  it("is cancelled whenever that was asked for", () => {
    expect(fromError(new BudgetFault("used up"), true).verdict).toBe("cancelled");
  });
});
