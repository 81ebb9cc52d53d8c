import { describe, expect, it } from "vitest";
import { messageMatches } from "../../../src/pipeline/judge/exception.ts";
import { judge } from "../../../src/pipeline/judge/judge.ts";
import type { Symptom } from "../../../src/types.ts";
import { execution, frame, raised, raising } from "../../doubles/executions.ts";

const symptom: Symptom = {
  kind: "exception",
  type: "RuntimeError",
  message: "is invalid for input of size",
  where: "forward",
};

describe("judge of an exception", () => {
  it("shows when class, message and place agree and the project's code raised it", () => {
    expect(judge(raising(), symptom)).toEqual({
      shows: true,
      evidence: "RuntimeError: shape '[2, 3, 4]' is invalid for input of size 20 in toy/model.py:10 (forward)",
    });
  });

  it("shows when a library called by the project raised it", () => {
    const frames = [frame("script"), frame("project"), frame("library", { function: "linear" })];
    expect(judge(raising({ frames }), symptom).shows).toBe(true);
  });

  it("shows when it is the cause of the exception that ended the script", () => {
    const outer = raised({ type: "ValueError", bases: ["ValueError", "Exception"], message: "while loading" });
    const ending = { how: "exception" as const, chain: [outer, raised()] };
    expect(judge(execution({ ending }), symptom).shows).toBe(true);
  });

  it("matches a base class, but never Exception by itself", () => {
    const chain = { type: "KeyError", bases: ["KeyError", "LookupError", "Exception"], message: "'a'" };
    expect(judge(raising(chain), { ...symptom, type: "LookupError", message: null }).shows).toBe(true);
    expect(judge(raising(chain), { ...symptom, type: "Exception", message: null }).shows).toBe(false);
  });

  it.each([
    ["another class", raising({ type: "TypeError", bases: ["TypeError"] }), "different-symptom"],
    ["another message", raising({ message: "mat1 and mat2 shapes cannot be multiplied" }), "different-symptom"],
    [
      "another place",
      raising({ frames: [frame("script"), frame("project", { function: "__init__" })] }),
      "different-symptom",
    ],
    ["the script's own line", raising({ frames: [frame("script"), frame("library")] }), "set-up"],
    ["a clean run", execution(), "ran-clean"],
    ["an exit of the script's own", execution({ ending: { how: "completed", exitCode: 1 } }), "set-up"],
    ["a time-out", execution({ ending: { how: "timeout", stack: [] } }), "took-too-long"],
    ["too much memory", execution({ ending: { how: "limit", limit: "memory" } }), "set-up"],
    [
      "a missing module",
      raising({ type: "ModuleNotFoundError", bases: ["ModuleNotFoundError", "ImportError"] }),
      "set-up",
    ],
  ])("does not show for %s", (_, seen, because) => {
    expect(judge(seen, symptom)).toMatchObject({ shows: false, because });
  });

  it("takes any exception of the project for an unnamed error, but not a missing module", () => {
    const unnamed: Symptom = { kind: "exception", type: null, message: null, where: null };
    expect(judge(raising(), unnamed).shows).toBe(true);
    expect(judge(raising({ type: "ImportError", bases: ["ImportError"] }), unnamed).shows).toBe(false);
    expect(judge(raising({ frames: [frame("script")] }), unnamed).shows).toBe(false);
  });

  it("does not show when nothing of the project was imported", () => {
    const seen = { ...raising(), project: { imported: [], entered: [], replaced: [] } };
    expect(judge(seen, symptom)).toMatchObject({ shows: false, because: "not-the-project" });
  });
});

describe("messageMatches", () => {
  it.each([
    [
      "The size of tensor a (3) must match the size of tensor b (4)",
      "size of tensor a (5) must match the size of tensor b (6)",
      true,
    ],
    ["Expected  size 4\nbut got size 1", "expected size 4 but got size 1", true],
    ["index 7", "index 3", false],
    ["name 'x' is not defined", "name 'y' is not defined", false],
  ])("%j against %j: %s", (message, distinctive, matches) => {
    expect(messageMatches(message, distinctive)).toBe(matches);
  });
});
