import { describe, expect, it } from "vitest";
import { readIssue } from "../../src/issue/read-issue.ts";
import { readSymptom } from "../../src/issue/read-symptom.ts";
import { triageByProgram } from "../../src/issue/triage-by-program.ts";
import { anIssue, lines, read } from "./an-issue.ts";

describe("readIssue", () => {
  it("reads nothing in an empty issue", () => {
    expect(read("", "")).toEqual({
      sections: [],
      codeBlocks: [],
      runnableCode: null,
      tracebacks: [],
      permalinks: [],
      paths: [],
      identifiers: [],
      versions: {},
      suggestedChanges: [],
      worksIn: [],
    });
  });

  it("reads a filled form, whatever its line ends", () => {
    const body = lines(
      "### Bug description",
      "",
      "`WideNet` fails with two gates.",
      "",
      "### How to reproduce the bug",
      "",
      "```python",
      "import torch",
      "from tinynet import WideNet",
      "WideNet(gates=2)(torch.zeros(1, 4))",
      "```",
      "",
      "### Error messages and logs",
      "",
      "```",
      "Traceback (most recent call last):",
      '  File "/v/lib/python3.11/site-packages/tinynet/wide.py", line 8, in forward',
      "    x = x + self.gate",
      "RuntimeError: sizes differ",
      "```",
      "",
      "### Environment",
      "",
      "- PyTorch 2.1.0",
    );

    const issue = readIssue(anIssue(body.replaceAll("\n", "\r\n"), "WideNet with two gates"));

    expect(issue).toEqual({
      sections: issue.sections,
      codeBlocks: issue.codeBlocks,
      runnableCode: lines("import torch", "from tinynet import WideNet", "WideNet(gates=2)(torch.zeros(1, 4))"),
      tracebacks: [
        {
          type: "RuntimeError",
          message: "sizes differ",
          frames: [
            {
              file: "/v/lib/python3.11/site-packages/tinynet/wide.py",
              line: 8,
              function: "forward",
              code: "x = x + self.gate",
            },
          ],
        },
      ],
      permalinks: [],
      paths: ["tinynet/wide.py"],
      identifiers: ["WideNet", "tinynet"],
      versions: { torch: "2.1.0", python: "3.11" },
      suggestedChanges: [],
      worksIn: [],
    });
    expect(issue.sections.map(({ heading }) => heading)).toEqual([
      "Bug description",
      "How to reproduce the bug",
      "Error messages and logs",
      "Environment",
    ]);
    expect(issue.codeBlocks.map(({ startLine }) => startLine)).toEqual([8, 16]);
  });

  it.each([
    "a",
    " ",
    "\n",
    "`",
    "```\n",
    "~~~\n```\n",
    "### x\n",
    "**x**\n",
    "<!--",
    "<a",
    "![",
    '](x "',
    "(",
    '"""',
    "\\",
    "A.",
    "AError: ",
    "x 1.",
    "works in 1.0 ",
    "`x` should be ",
    "is this normal ",
    "https://github.com/o/r/blob/m/",
    '  File "x.py", line 3, in f\n',
    "RuntimeError   Traceback (most recent call last)\n",
    ">>> x\n",
    "foo(\n",
    "\uD800",
  ])("takes time in proportion to a hostile body of %j", { timeout: 60_000 }, (unit) => {
    const issue = anIssue(unit.repeat(Math.ceil(250_000 / unit.length)));
    const before = process.cpuUsage();

    const result = readIssue(issue);
    readSymptom(result, issue);
    triageByProgram(issue, result);

    expect(process.cpuUsage(before).user / 1_000_000).toBeLessThan(10);
  });

  it("reads a body of a million characters", { timeout: 60_000 }, () => {
    const piece = lines("### A heading", "Some `code_span` in prose of torch 2.1.0.", "```python", "net(x)", "```", "");

    const result = read(piece.repeat(Math.ceil(1_000_000 / piece.length)));

    expect(result.codeBlocks).toHaveLength(200);
    expect(result.versions).toEqual({ torch: "2.1.0" });
  });
});
