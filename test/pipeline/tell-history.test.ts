import { describe, expect, it } from "vitest";
import { tellHistory } from "../../src/pipeline/tell-history.ts";
import { execution, frame, raised, raising } from "../doubles/executions.ts";
import { judged } from "../doubles/trials.ts";

describe("tellHistory", () => {
  it("is empty before the first attempt", () => {
    expect(tellHistory([])).toBe("");
  });

  it("tells script and problems of one that was not run, then frames and judgement of one that failed", () => {
    const refused = judged(
      { shows: false, because: "set-up", explanation: "" },
      {
        validation: { ok: false, problems: [{ kind: "mimic", line: 2, message: "It raises." }] },
        execution: null,
        judgement: null,
      },
    );
    const frames = [
      frame("script", { line: 2, code: "toy.run()" }),
      frame("project", { line: 7, code: "x @ y" }),
      frame("library"),
    ];
    const failed = judged(
      { shows: false, because: "different-symptom", explanation: "KeyError: x" },
      { number: 2, execution: { ...raising({ frames }), stdout: "printed" } },
    );

    expect(tellHistory([refused, failed])).toBe(
      [
        "Script 1:\n```python\nimport toy\n```\nIt was not run:\n- line 2: It raises.",
        "",
        "Script 2:\n```python\nimport toy\n```",
        "  script.py:2 in forward: toy.run()",
        "  toy/model.py:7 in forward: x @ y",
        "Judged: something else went wrong in the project's code: KeyError: x.",
      ].join("\n"),
    );
  });

  it("tells what a clean run observed, and the end of what it printed", () => {
    const clean = judged(
      { shows: false, because: "ran-clean", explanation: "loss is 1" },
      { execution: execution({ observed: { loss: 1 }, stdout: `start${"x".repeat(1000)}`, stderr: "unseen" }) },
    );

    expect(tellHistory([clean])).toBe(
      `Script 1:\n\`\`\`python\nimport toy\n\`\`\`\nobserved = {"loss":1}\nIt printed: ${"x".repeat(800)}\nJudged: the symptom does not show: loss is 1.`,
    );
  });

  it("says the same wherever the environment lies", () => {
    const chain = [raised({ frames: [frame("script", { file: "/env/0a1b2c/lib/x.py" })] })];
    const failed = judged(
      { shows: false, because: "set-up", explanation: "No such file: /env/0a1b2c/lib/y" },
      { execution: execution({ ending: { how: "exception", chain } }) },
    );

    const told = tellHistory([failed]);
    expect(told).toContain("  /env/lib/x.py:10 in forward");
    expect(told).toContain("No such file: /env/lib/y.");
  });
});
