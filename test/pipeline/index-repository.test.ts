import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSqliteIndex } from "../../src/adapters/sqlite-index.ts";
import { indexKey, indexRepository } from "../../src/pipeline/index-repository.ts";
import { CHUNKING_VERSION } from "../../src/source/chunk-python.ts";
import { makeFolder } from "../source/make-repository.ts";

const { signal } = new AbortController();

function makeDeps() {
  const index = createSqliteIndex({ file: join(makeFolder(), "index.sqlite") });
  onTestFinished(() => index.close());
  return { index };
}

function makeCheckout(files: Record<string, string>) {
  return { path: makeFolder(files), commit: "1".repeat(40), label: "https://example.org/a@main", leftOut: [] };
}

describe("indexRepository", () => {
  it("indexes Python files and notebooks, and says what it skipped", async () => {
    const checkout = makeCheckout({
      "pkg/a.py": "def f():\n    return 1\n",
      "n.ipynb": JSON.stringify({ cells: [{ cell_type: "code", source: "import pkg" }] }),
      "bad.ipynb": "{",
      "binary.py": "a\0b",
      "large.py": "x = 1\n".repeat(200_000),
      "README.md": "def g(): pass",
      "venv/x.py": "x = 1",
    });
    symlinkSync("pkg/a.py", join(checkout.path, "link.py"));
    symlinkSync("/etc", join(checkout.path, "etc"));
    const deps = makeDeps();

    const indexed = await indexRepository(checkout, deps, signal);

    expect(indexed).toEqual({
      key: { repository: "https://example.org/a", commit: `${checkout.commit}+${CHUNKING_VERSION}` },
      chunks: 2,
      files: 4,
      skipped: [
        { path: "large.py", reason: "larger than 1 MB" },
        { path: "link.py", reason: "not a plain file" },
        { path: "bad.ipynb", reason: "not source text" },
        { path: "binary.py", reason: "not source text" },
      ],
    });
    expect((await deps.index.definitions(indexed.key, "f")).map(({ path }) => path)).toEqual(["pkg/a.py"]);
  });

  it("does nothing for a commit that is indexed already", async () => {
    const checkout = makeCheckout({ "a.py": "x = 1\n" });
    const deps = makeDeps();
    await indexRepository(checkout, deps, signal);

    expect(await indexRepository(checkout, deps, signal)).toMatchObject({ chunks: 0, files: 0, skipped: [] });
  });

  it("leaves out what the project's settings say, in an index of its own", async () => {
    const checkout = makeCheckout({ "a.py": "x = 1\n", "docs/conf.py": "y = 1\n", "docs/deep/b.py": "z = 1\n" });
    const deps = makeDeps();
    await indexRepository(checkout, deps, signal);

    const indexed = await indexRepository(checkout, { ...deps, leaveOut: ["docs/**"] }, signal);

    const reason = "left out by the project's settings";
    expect(indexed.skipped).toEqual([
      { path: "docs/conf.py", reason },
      { path: "docs/deep/b.py", reason },
    ]);
    expect(indexed.chunks).toBe(1);
  });

  it("leaves no index behind when it is stopped", async () => {
    const checkout = makeCheckout({ "a.py": "x = 1\n" });
    const deps = makeDeps();

    await expect(indexRepository(checkout, deps, AbortSignal.abort())).rejects.toThrow();

    expect(await deps.index.has(indexKey(checkout))).toBe(false);
  });
});

describe("indexKey", () => {
  it("leaves out the ref and the version", () => {
    const repositoryOf = (label: string) => indexKey({ label, commit: "1" }).repository;

    expect(repositoryOf("https://example.org/a@v1.0")).toBe("https://example.org/a");
    expect(repositoryOf("pypi:a==1.0")).toBe("pypi:a");
  });
});
