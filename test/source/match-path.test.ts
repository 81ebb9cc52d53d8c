import { describe, expect, it } from "vitest";
import { matchPath } from "../../src/source/match-path.ts";

const files = ["src/pkg/a.py", "src/pkg/sub/module.py", "pkg2/a.py", "train.py"];

describe("matchPath", () => {
  it.each([
    ["/home/me/project/src/pkg/a.py", "src/pkg/a.py"],
    ["/usr/lib/python3.11/site-packages/pkg/a.py", "src/pkg/a.py"],
    ["C:\\Users\\me\\pkg2\\a.py", "pkg2/a.py"],
    ["./train.py", "train.py"],
    ["module.py", "src/pkg/sub/module.py"],
    ["/usr/lib/python3.11/site-packages/torch/nn/modules/module.py", null],
    ["a.py", null],
    ["none.py", null],
    ["", null],
  ])("takes %s for %s", (reported, file) => {
    expect(matchPath(reported, files)).toBe(file);
  });
});
