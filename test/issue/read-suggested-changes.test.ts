import { describe, expect, it } from "vitest";
import type { SuggestedChange } from "../../src/types.ts";
import { lines, read } from "./an-issue.ts";

const link = "https://github.com/acme/tinynet/blob/main/tinynet/net.py#L10";
const replace = (search: string, replacement: string, path: string | null = null): SuggestedChange => ({
  form: "replace",
  path,
  search,
  replace: replacement,
});

describe("readSuggestedChanges", () => {
  it("takes a unified diff as it is", () => {
    const diff = lines("--- a/tinynet/net.py", "+++ b/tinynet/net.py", "@@ -1,2 +1,2 @@", " a", "-b", "+c");

    expect(read(lines("```diff", diff, "```")).suggestedChanges).toEqual([{ form: "diff", diff }]);
  });

  it("makes a replacement of a diff without a head", () => {
    const body = lines("In tinynet/net.py:", "```diff", " def f(x):", "-    return x", "+    return x + 1", "```");

    expect(read(body).suggestedChanges).toEqual([
      replace("def f(x):\n    return x", "def f(x):\n    return x + 1", "tinynet/net.py"),
    ]);
  });

  it.each([
    ["`dim=1` should be `dim=2`", "dim=1", "dim=2"],
    ["On line 3: `Net(3)`\n\nIt should be instead: `Net(4)`, I think.", "Net(3)", "Net(4)"],
    ["Please change `f(a)` to `f(b)`.", "f(a)", "f(b)"],
    ["If I replace `f(a)` with `f(b)` it runs.", "f(a)", "f(b)"],
    ["It must be `f(b)` instead of `f(a)`", "f(a)", "f(b)"],
    ["Use `f(b)` rather than `f(a)`", "f(a)", "f(b)"],
    ["`f(a)` -> `f(b)`", "f(a)", "f(b)"],
  ])("reads %s", (body, search, replacement) => {
    expect(read(body).suggestedChanges).toEqual([replace(search, replacement)]);
  });

  it("reads two code blocks with words of change between them, and takes the path of the link above", () => {
    const body = lines(
      link,
      "The code is",
      "```python",
      "  mask = mask.flip(1)",
      "```",
      "but it should be",
      "```python",
      "  mask = mask.flip(2)",
      "```",
    );

    expect(read(body).suggestedChanges).toEqual([
      replace("  mask = mask.flip(1)", "  mask = mask.flip(2)", "tinynet/net.py"),
    ]);
  });

  it("reads a suggestion below the code that it replaces", () => {
    const body = lines(link, "```py", "x = 1", "```", "```suggestion", "x = 2", "```");

    expect(read(body).suggestedChanges).toEqual([replace("x = 1", "x = 2", "tinynet/net.py")]);
  });

  it.each([
    "The values `a_b` and `c_d` are printed.",
    "`a_b` should be faster. See `c_d`.",
    "I changed the width to `4`.",
    "this should be r_{t+2} instead of r_{t+1}",
  ])("finds no change in: %s", (body) => {
    expect(read(body).suggestedChanges).toEqual([]);
  });
});
