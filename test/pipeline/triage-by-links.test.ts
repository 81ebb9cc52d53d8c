import { describe, expect, it } from "vitest";
import { triageByLinks } from "../../src/pipeline/triage-by-links.ts";
import type { Permalink, ReadIssue } from "../../src/types.ts";
import { makeFolder } from "../source/make-repository.ts";
import { readOf } from "./make-index.ts";

const model = '"""About the model."""\n\n# A comment.\nx = 1\n';

function link(lines: { startLine: number | null; endLine?: number | null; path?: string }): Permalink {
  const { startLine, endLine = startLine, path = "toy/model.py" } = lines;
  return { repository: "example/toy", ref: "main", path, startLine, endLine };
}

function triage(read: Partial<ReadIssue>) {
  const path = makeFolder({ "toy/model.py": model, "toy/__init__.py": "" });
  return triageByLinks(readOf(read), { path, commit: "0".repeat(40), label: "toy", leftOut: [] });
}

describe("triageByLinks", () => {
  it("takes a report for one about documentation when all its links lead to comments and docstrings", async () => {
    expect(await triage({ permalinks: [link({ startLine: 1 }), link({ startLine: 3 })] })).toEqual({
      is: "not-a-bug",
      why: "The lines that the report links to are comments and docstrings; it is about the documentation.",
    });
  });

  it.each<[string, Partial<ReadIssue>]>([
    ["no link", {}],
    ["a link to code", { permalinks: [link({ startLine: 1 }), link({ startLine: 4 })] }],
    ["lines that reach into code", { permalinks: [link({ startLine: 3, endLine: 4 })] }],
    ["a link to a file as a whole", { permalinks: [link({ startLine: null })] }],
    ["a file that the checkout does not have", { permalinks: [link({ startLine: 1, path: "toy/gone.py" })] }],
    ["code of its own", { permalinks: [link({ startLine: 1 })], runnableCode: "import toy" }],
    [
      "an error",
      { permalinks: [link({ startLine: 1 })], tracebacks: [{ type: "ValueError", message: "", frames: [] }] },
    ],
  ])("leaves a report with %s to be tried", async (_, read) => {
    expect(await triage(read)).toBeNull();
  });
});
