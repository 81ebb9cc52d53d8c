import { describe, expect, it } from "vitest";
import { pointsAtProse } from "../../src/issue/points-at-prose.ts";
import { lines } from "./an-issue.ts";

const source = lines(
  '"""',
  "Sum of discounted rewards.",
  '"""',
  "def total(r):",
  "    r'''$r_{t+1}$'''",
  "    # add them up",
  "    x = '''",
  "    text'''",
  "    return sum(r)",
);
const at = (startLine: number | null, endLine = startLine) => ({
  repository: "a/b",
  ref: "m",
  path: "gae.py",
  startLine,
  endLine,
});
const readFile = (path: string) => (path === "gae.py" ? source : null);

describe("pointsAtProse", () => {
  it("holds for docstrings and comments", () => {
    expect(pointsAtProse([at(2), at(5, 6)], readFile)).toEqual(true);
  });

  it.each([
    ["a line of code", [at(4)]],
    ["a range that reaches code", [at(6, 9)]],
    ["a string that is used", [at(8)]],
    ["prose and code", [at(2), at(9)]],
    ["a whole file", [at(null)]],
    ["a line beyond the end", [at(40)]],
    ["a file that is not there", [{ ...at(2), path: "other.py" }]],
    ["nothing", []],
  ])("does not hold for %s", (_, permalinks) => {
    expect(pointsAtProse(permalinks, readFile)).toEqual(false);
  });
});
