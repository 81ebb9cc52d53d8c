import { execFile } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { codeTokens, queryTokens } from "../../src/adapters/code-tokens.ts";
import { createSqliteIndex } from "../../src/adapters/sqlite-index.ts";
import { chunkOf, lexicalIndexContract } from "../ports/lexical-index.contract.ts";
import { makeFolder } from "../source/make-repository.ts";

const key = { repository: "r", commit: "1" };

function create(file = join(makeFolder(), "sub", "index.sqlite")) {
  const index = createSqliteIndex({ file });
  onTestFinished(() => index.close());
  return index;
}

describe("createSqliteIndex", () => {
  lexicalIndexContract(() => create());

  it("keeps its file's commits when opened again", async () => {
    const file = join(makeFolder(), "index.sqlite");
    await create(file).write(key, [chunkOf("f", "def f(): pass")]);

    expect(await create(file).definitions(key, "f")).toEqual([chunkOf("f", "def f(): pass")]);
  });

  it("ends up with one copy when two processes write the same commit", async () => {
    const file = join(makeFolder(), "index.sqlite");
    const adapter = join(import.meta.dirname, "../../src/adapters/sqlite-index.ts");
    const script = `
      const { createSqliteIndex } = await import(${JSON.stringify(adapter)});
      const index = createSqliteIndex({ file: ${JSON.stringify(file)} });
      const chunks = Array.from({ length: 2000 }, (_, n) => (
        { path: "a.py", startLine: n + 1, endLine: n + 1, kind: "function", symbol: "f" + n, text: "def f" }));
      await index.write(${JSON.stringify(key)}, chunks);
      await index.close();`;
    const run = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);

    await Promise.all([run(), run()]);

    expect(await create(file).file(key, "a.py")).toHaveLength(2000);
  });

  it("does not have a commit whose writing was interrupted, and writes it anew", async () => {
    const file = join(makeFolder(), "index.sqlite");
    const index = create(file);
    const broken = Object.defineProperty(chunkOf("g", ""), "text", {
      get() {
        throw new Error("interrupted");
      },
    });
    await expect(index.write(key, [chunkOf("f", "def f(): pass"), broken])).rejects.toThrow("interrupted");
    expect(await index.has(key)).toBe(false);

    await index.write(key, [chunkOf("f", "def f(): pass")]);

    const rows = new DatabaseSync(file).prepare("SELECT count(*) AS n FROM chunks").get();
    expect(rows).toEqual({ n: 1 });
  });
});

describe("codeTokens", () => {
  it("keeps identifiers whole and gives their parts", () => {
    expect(codeTokens("nn.LayerNorm attn_oneKVHead2 __init__ 3.5")).toEqual([
      ...["nn.layernorm", "nn", "layernorm", "layer", "norm"],
      ...["attn_onekvhead2", "attn", "one", "kv", "head2"],
      ...["__init__", "init", "3", "5"],
    ]);
  });
});

describe("queryTokens", () => {
  it("leaves out repetitions, single letters and common words, and stops at 96", () => {
    expect(queryTokens("the Model is a model")).toEqual(["model"]);
    expect(queryTokens(Array.from({ length: 200 }, (_, n) => `w${n}x`).join(" "))).toHaveLength(96);
  });
});
