import { describe, expect, it } from "vitest";
import { lines, read } from "./an-issue.ts";

describe("readCodeBlocks", () => {
  it("reads fences of backticks and tildes with language and line", () => {
    const body = lines("text", "```Python title=x", "a = 1", "```", "~~~~ sh", "ls", "~~~", "~~~~");

    expect(read(body).codeBlocks).toEqual([
      { language: "python", text: "a = 1", startLine: 3 },
      { language: "sh", text: "ls\n~~~", startLine: 6 },
    ]);
  });

  it("keeps a shorter fence inside a longer one", () => {
    const body = lines("````markdown", "```python", "x = 1", "```", "````");

    expect(read(body).codeBlocks).toEqual([{ language: "markdown", text: "```python\nx = 1\n```", startLine: 2 }]);
  });

  it("ends a block that was never closed where the next one with a language opens", () => {
    const body = lines("```", "first", "```python", "second = 2", "```", "prose");

    expect(read(body).codeBlocks).toEqual([
      { language: "", text: "first", startLine: 2 },
      { language: "python", text: "second = 2", startLine: 4 },
    ]);
  });

  it("takes an unclosed fence to the end of the body", () => {
    expect(read(lines("```py", "x = 1", "y = 2")).codeBlocks).toEqual([
      { language: "py", text: "x = 1\ny = 2", startLine: 2 },
    ]);
  });

  it("takes off the indentation of a fence in a list and the marks of one in a quote", () => {
    const body = lines("1. do", "   ```py", "   if x:", "     y()", "   ```", "> ```", "> z()", "end of quote");

    expect(read(body).codeBlocks).toEqual([
      { language: "py", text: "if x:\n  y()", startLine: 3 },
      { language: "", text: "z()", startLine: 7 },
    ]);
  });

  it("reads code that is indented by four columns after a blank line", () => {
    const body = lines("Run:", "", "    x = 1", "", "    y = 2", "", "done");

    expect(read(body).codeBlocks).toEqual([{ language: "", text: "x = 1\n\ny = 2", startLine: 3 }]);
  });

  it("does not take the continuation of a list item for code", () => {
    expect(read(lines("- item", "", "    goes on", "", "text")).codeBlocks).toEqual([]);
  });

  it("takes three backticks within a line for a code span", () => {
    expect(read("```x = 1``` is what I wrote").codeBlocks).toEqual([]);
  });

  it("reads a block inside details", () => {
    const body = lines("<details>", "<summary>Log</summary>", "", "```bash", "boom", "```", "</details>");

    expect(read(body).codeBlocks).toEqual([{ language: "bash", text: "boom", startLine: 5 }]);
  });
});
