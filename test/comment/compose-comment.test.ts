import { describe, expect, it } from "vitest";
import { composeComment } from "../../src/comment/compose-comment.ts";
import { Outcome } from "../../src/outcome.ts";
import { Verdict } from "../../src/types.ts";
import { outcome } from "../doubles/outcomes.ts";

describe("composeComment", () => {
  it("tells a reproduction: verdict, comparison, chart, script, evidence, environment, log", () => {
    const comment = composeComment(outcome());

    const parts = [
      "### Reproduced on `https://github.com/example-org/tinyfit@main` (`0123456789ab`)",
      "| **Reported** | The loss climbs from 1.2 to 500. |",
      "| **Looked for** | `train_loss`, over the steps, does not fall |",
      "| **Observed** | `train_loss goes from 1.2 to 500 over 10 steps: it does not fall` |",
      "```mermaid\n",
      "#### Script\n\n```python\nfrom tinyfit import Trainer\n",
      "sys.exit(1 if shows else 0)",
      "3 of 3 runs with different seeds showed it.",
      "A hint to the cause, not a fix. The gradients are never zeroed.",
      "  +optimizer.zero_grad()",
      "- Python 3.11.2, torch 2.13.0+cpu, numpy 2.4.6; bubblewrap 0.8.0; no network.",
      "- `torch==1.9` → `torch 2.13.0`: no wheel for Python 3.11",
      "<summary>Output of the script</summary>",
      "Written by a program",
    ];
    const places = parts.map((part) => comment.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it("names the commit once where the label ends with it", () => {
    const project = { label: "tinyfit@0123456789ab", commit: "0123456789abcdef0123456789abcdef01234567", leftOut: 0 };

    expect(composeComment(outcome({ project }))).toMatch(/^### Reproduced on `tinyfit@0123456789ab`\n/);
  });

  it.each(Verdict.options)("has a heading of its own for %s", (verdict) => {
    const heading = composeComment(outcome({ verdict })).split("\n")[0] ?? "";
    expect(heading).toMatch(/^### [A-Z]/);
    if (verdict !== "reproduced" && verdict !== "flaky") expect(heading).not.toMatch(/^### Reproduced/);
  });

  it("folds a script that does not show the bug, and does not say how to run it", () => {
    const comment = composeComment(outcome({ verdict: "not-reproduced", contrasts: [], runs: { total: 0, shown: 0 } }));
    expect(comment).toContain(
      "<summary>A script that was written for it; it did not show the reported symptom</summary>",
    );
    expect(comment).toContain("| **Best so far** |");
    expect(comment).not.toContain("#### Script");
  });

  it("does not say of a script that shows the symptom unconfirmed, or that was not run, that it did not show it", () => {
    const unconfirmed = composeComment(outcome({ verdict: "not-reproduced" }));
    expect(unconfirmed).toContain("it shows the symptom, but that was not confirmed</summary>");
    const spent = { ...outcome().spent, executions: 0 };
    const unrun = composeComment(outcome({ verdict: "failed", runs: { total: 0, shown: 0 }, spent }));
    expect(unrun).toContain("it was not run</summary>");
  });

  it("is short when nothing was run", () => {
    const nothing = {
      project: null,
      symptom: null,
      script: null,
      scriptFrom: null,
      evidence: null,
      environment: null,
    } as const;
    const comment = composeComment(
      outcome({
        ...nothing,
        verdict: "needs-information",
        reason: "The error is missing.",
        runs: { total: 0, shown: 0 },
        contrasts: [],
        observed: {},
        log: "",
      }),
    );
    expect(comment).toMatch(
      /^### More information is needed\n\nThe error is missing\.\n\n<sub>Written by a program[^\n]*\n?$/,
    );
  });

  it("lets no mention, reference, closing keyword or markup of a report through", () => {
    const hostile = "fixes #12 @octocat <img src=x> [a](http://evil.example) | x\n### heading";
    const comment = composeComment(
      outcome({
        reported: { observed: hostile, expected: "`` ` ``" },
        reason: hostile,
        evidence: "``` @octocat | #3",
        log: "```\n@octocat\n```",
      }),
    );
    const outsideCode = comment.replace(/(`{3,})[\s\S]*?\n\1/g, "").replace(/(`+).*?\1/g, "");
    expect(outsideCode).not.toMatch(/@octocat|fixes #12|<img|\]\(http|^### heading/m);
  });

  it("leaves secrets out, and fits into a comment whatever the log holds", () => {
    const comment = composeComment(outcome({ log: `token s3cr3t-value ${"x".repeat(100_000)}` }), ["s3cr3t-value"]);
    expect(comment).not.toContain("s3cr3t-value");
    expect(comment.length).toBeLessThanOrEqual(65_536);
  });

  it("cuts long fractions, and nothing else, to what can be read", () => {
    const evidence = "x is 2.9802322387695312e-8 and 12.3456789, torch 2.13.0 at model.py:1234567";
    const row = composeComment(outcome({ evidence }))
      .split("\n")
      .find((line) => line.startsWith("| **Observed**"));
    expect(row).toBe("| **Observed** | `x is 2.98e-8 and 12.35, torch 2.13.0 at model.py:1234567` |");
  });

  it("keeps a bar of the evidence from ending its cell", () => {
    const row = composeComment(outcome({ evidence: "a | b" }))
      .split("\n")
      .find((line) => line.startsWith("| **Observed**"));
    expect(row).toBe("| **Observed** | `a \\| b` |");
  });
});

describe("Outcome", () => {
  it("is what the double is", () => {
    expect(Outcome.parse(outcome())).toEqual(outcome());
  });
});
