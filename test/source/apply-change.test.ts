import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyChange } from "../../src/source/apply-change.ts";
import { makeFolder } from "./make-repository.ts";

const SOURCE = `import torch


class Attention:
    def forward(self, q, k):
        dim = q.shape[-1]
        scale = dim ** 0.5
        return (q @ k) * scale

    def backward(self, q):
        return q
`;

const FIXED = `--- a/pkg/attend.py
+++ b/pkg/attend.py
@@ -4,5 +4,5 @@
 class Attention:
     def forward(self, q, k):
         dim = q.shape[-1]
-        scale = dim ** 0.5
+        scale = dim ** -0.5
         return (q @ k) * scale
 
     def backward(self, q):
`.replace("@@ -4,5 +4,5 @@", "@@ -4,7 +4,7 @@");

const REFUSED = (reason: string) => ({ ok: false, reason });

function makeProject() {
  return makeFolder({ "pkg/attend.py": SOURCE, "pkg/other.py": "x = 1\ny = 1\n", "notes.txt": "scale = dim ** 0.5\n" });
}

function fileOf(folder: string): string {
  return readFileSync(join(folder, "pkg/attend.py"), "utf8");
}

describe("applyChange with a diff", () => {
  it.each([
    ["as git writes it", FIXED],
    ["with wrong line numbers", FIXED.replace("-4,7 +4,7", "-90,7 +91,7")],
    ["without line numbers", FIXED.replace(/@@ .* @@/, "@@")],
    ["without hunk header", FIXED.replace(/@@ .* @@\n/, "")],
    ["without a/ and b/", FIXED.replace("a/pkg", "pkg").replace("b/pkg", "pkg")],
    [
      "with a path that is only the end of one",
      FIXED.replace("a/pkg/attend.py", "attend.py").replace("b/pkg/attend.py", "attend.py"),
    ],
    ["without file header", FIXED.replace(/^---.*\n\+\+\+.*\n/, "")],
    [
      "without the space of unchanged lines",
      "-        scale = dim ** 0.5\n+        scale = dim ** -0.5\n        return (q @ k) * scale\n",
    ],
    ["with the indentation lost", "-scale = dim ** 0.5\n+scale = dim ** -0.5\n"],
    [
      "with trailing white space and CRLF",
      FIXED.replaceAll("\n", "  \r\n").replace(".py  \r\n", ".py\r\n").replace("** -0.5  ", "** -0.5"),
    ],
    ["with context of another version", FIXED.replace(" class Attention:", " class Attention(nn.Module):")],
    ["with git's own lines", `diff --git a/pkg/attend.py b/pkg/attend.py\nindex 1234567..89abcde 100644\n${FIXED}`],
  ])("applies one %s", async (_, diff) => {
    const folder = makeProject();

    const applied = await applyChange(folder, { form: "diff", diff });

    expect(applied).toEqual({ ok: true, diff: expect.stringContaining("+        scale = dim ** -0.5\n") });
    expect(fileOf(folder)).toBe(SOURCE.replace("** 0.5", "** -0.5"));
  });

  it("tells the change as a diff of its own that applies again elsewhere", async () => {
    const folder = makeProject();

    const applied = await applyChange(folder, { form: "diff", diff: "-scale = dim ** 0.5\n+scale = dim ** -0.5" });

    expect(applied).toEqual({
      ok: true,
      diff: `--- a/pkg/attend.py
+++ b/pkg/attend.py
@@ -4,8 +4,8 @@
 class Attention:
     def forward(self, q, k):
         dim = q.shape[-1]
-        scale = dim ** 0.5
+        scale = dim ** -0.5
         return (q @ k) * scale
 
     def backward(self, q):
         return q
`
        .replace("@@ -4,8 +4,8 @@", "@@ -4,7 +4,7 @@")
        .replace("         return q\n", ""),
    });
  });

  it("applies several hunks and files, new files and deleted ones, or nothing at all", async () => {
    const folder = makeProject();
    const diff = `${FIXED}--- /dev/null
+++ b/pkg/new.py
@@ -0,0 +1,1 @@
+z = 1
--- a/pkg/other.py
+++ /dev/null
@@ -1,2 +0,0 @@
-x = 1
-y = 1
`;
    expect(await applyChange(folder, { form: "diff", diff: `${diff}--- a/no.py\n+++ b/no.py\n@@\n-a\n+b\n` })).toEqual(
      REFUSED("there is no file no.py"),
    );
    expect(fileOf(folder)).toBe(SOURCE);

    expect((await applyChange(folder, { form: "diff", diff })).ok).toBe(true);

    expect(fileOf(folder)).not.toBe(SOURCE);
    expect(readFileSync(join(folder, "pkg/new.py"), "utf8")).toBe("z = 1\n");
    expect(existsSync(join(folder, "pkg/other.py"))).toBe(false);
  });

  it("refuses what it cannot place", async () => {
    const folder = makeProject();
    const apply = (diff: string) => applyChange(folder, { form: "diff", diff });

    expect(await apply("no change here")).toEqual(REFUSED("the diff has no changed lines"));
    expect(await apply("--- a/pkg/attend.py\n+++ b/pkg/attend.py\n@@\n-nothing like it\n+x\n")).toEqual(
      REFUSED('the file does not have these lines: "nothing like it"'),
    );
    expect(await apply("-nothing like it\n+x\n")).toEqual(REFUSED("no Python file of the project has these lines"));
    expect(fileOf(folder)).toBe(SOURCE);
  });

  it("writes nothing outside the project", async () => {
    const outside = makeFolder({ "secret.py": "x = 1\n" });
    const folder = makeProject();
    symlinkSync(outside, join(folder, "out"));
    const create = (path: string) =>
      applyChange(folder, { form: "diff", diff: `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+evil\n` });

    for (const path of ["../evil.py", "/tmp/evil.py", "pkg/../../evil.py", ".git/hooks/x"]) {
      expect(await create(path)).toEqual(REFUSED(`the path ${JSON.stringify(path)} leads outside the project`));
    }
    expect(await create("out/evil.py")).toEqual(REFUSED("the path out/evil.py leads outside the project"));
    const change = { form: "replace", path: "out/secret.py", search: "1", replace: "2" } as const;
    expect(await applyChange(folder, change)).toEqual(REFUSED("out/secret.py is not a plain file"));
    expect(existsSync(join(outside, "evil.py"))).toBe(false);
    expect(readFileSync(join(outside, "secret.py"), "utf8")).toBe("x = 1\n");
  });
});

describe("applyChange with a replacement", () => {
  const apply = (folder: string, search: string, replace: string, path: string | null = null) =>
    applyChange(folder, { form: "replace", path, search, replace });

  it.each([
    ["literally", "dim ** 0.5", "dim ** -0.5"],
    ["line by line", "        scale = dim ** 0.5\n", "        scale = dim ** -0.5\n"],
    ["whatever the indentation", "dim = q.shape[-1]\nscale = dim ** 0.5", "dim = q.shape[-1]\nscale = dim ** -0.5"],
  ])("replaces %s, in the only file that has it", async (_, search, replace) => {
    const folder = makeProject();

    expect((await apply(folder, search, replace)).ok).toBe(true);

    expect(fileOf(folder)).toBe(SOURCE.replace("** 0.5", "** -0.5"));
  });

  it("keeps the nesting of added lines", async () => {
    const folder = makeProject();

    await apply(folder, "scale = dim **  0.5", "if dim > 0:\n    scale = dim ** -0.5");

    expect(fileOf(folder)).toContain("        if dim > 0:\n            scale = dim ** -0.5\n");
  });

  it("refuses what is there twice, nowhere, or changes nothing", async () => {
    const folder = makeProject();

    expect(await apply(folder, "= 1", "= 2", "pkg/other.py")).toEqual(
      REFUSED('the file has this more than once: "= 1"'),
    );
    expect(await apply(folder, "x = 1\n", "x = 1\n", "pkg/other.py")).toEqual(REFUSED("the change changes nothing"));
    expect(await apply(folder, "  ", "x")).toEqual(REFUSED("the text to replace is empty"));
    expect(await apply(folder, "x", "y", "pkg/none.py")).toEqual(REFUSED("there is no file pkg/none.py"));
  });
});
