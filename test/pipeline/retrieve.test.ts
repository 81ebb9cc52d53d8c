import { describe, expect, it } from "vitest";
import { retrieve } from "../../src/pipeline/retrieve.ts";
import type { ReadIssue } from "../../src/types.ts";
import { makeIndexed, readOf } from "./make-index.ts";

const { signal } = new AbortController();

const FILES = {
  "pkg/__init__.py": "from pkg.attend import Attention\n",
  "pkg/attend.py": `import torch

class Attention:
    def __init__(self, dim):
        self.dim = dim

    def forward(self, x):
        return self.project(x)

    def project(self, x):
        return x * self.dim
`,
  "pkg/rotary.py": "def rotary_embedding(x):\n    return x\n\ndef apply(x):\n    return x\n",
  "pkg/_vendor/rotary.py": "def rotary_embedding(x):\n    return x\n",
  "tests/test_attend.py": "def test_rotary_embedding():\n    rotary_embedding = 1\n    assert rotary_embedding\n",
};

async function retrieveFrom(read: Partial<ReadIssue>, issue = { title: "", body: "" }) {
  const { checkout, index, key } = await makeIndexed(FILES);
  const found = await retrieve({ issue, read: readOf(read), checkout, key }, { index }, signal);
  return found.map(({ chunk, because }) => `${chunk.path} ${chunk.symbol} ${because.join("+")}`);
}

const traceback = (...frames: [string, number, string][]) => ({
  type: "RuntimeError",
  message: "",
  frames: frames.map(([file, line, name]) => ({ file, line, function: name, code: null })),
});

describe("retrieve", () => {
  it("takes the chunks at a permalink's lines", async () => {
    const link = { repository: "a/b", ref: "main", path: "pkg/attend.py", startLine: 7, endLine: 10 };

    expect(await retrieveFrom({ permalinks: [link] })).toEqual([
      "pkg/attend.py Attention.forward permalink",
      "pkg/attend.py Attention.project permalink",
    ]);
  });

  it("takes a traceback's functions, innermost first, wherever they are now, and no library's", async () => {
    const frames = traceback(
      ["train.py", 3, "<module>"],
      ["/env/lib/python3.11/site-packages/torch/nn/modules/attend.py", 8, "_call_impl"],
      ["/env/lib/python3.11/site-packages/pkg/attend.py", 700, "forward"],
      ["/home/me/pkg/attend.py", 800, "project"],
    );

    expect(await retrieveFrom({ tracebacks: [frames] })).toEqual([
      "pkg/attend.py Attention.project traceback",
      "pkg/attend.py Attention.forward traceback",
    ]);
  });

  it("takes the definitions of identifiers, whole or by their end, and vendored ones last", async () => {
    expect(await retrieveFrom({ identifiers: ["model.project", "rotary_embedding()", "unknown"] })).toEqual([
      "pkg/attend.py Attention.project identifier",
      "pkg/rotary.py rotary_embedding identifier",
      "pkg/_vendor/rotary.py rotary_embedding identifier",
    ]);
  });

  it("takes chunks of files that are named", async () => {
    expect(await retrieveFrom({ paths: ["pkg/rotary.py", "none.py"] })).toEqual([
      "pkg/rotary.py rotary_embedding path",
      "pkg/rotary.py apply path",
    ]);
  });

  it("finds by words, tests and vendored code last", async () => {
    const found = await retrieveFrom({}, { title: "rotary_embedding is wrong", body: "" });

    expect(found[0]).toBe("pkg/rotary.py rotary_embedding bm25");
    expect(found.slice(1).sort()).toEqual([
      "pkg/_vendor/rotary.py rotary_embedding bm25",
      "pkg/rotary.py apply bm25",
      "tests/test_attend.py test_rotary_embedding bm25",
    ]);
  });

  it("puts what several reasons speak for first, with all of them", async () => {
    const read = {
      identifiers: ["Attention"],
      paths: ["attend.py"],
      tracebacks: [traceback(["pkg/attend.py", 8, "forward"])],
    };

    const found = await retrieveFrom(read, { title: "forward of Attention", body: "project" });

    expect(found[0]).toBe("pkg/attend.py Attention.forward traceback+path+bm25");
    expect(found).toContain("pkg/attend.py Attention identifier+path+bm25");
    expect(await retrieveFrom(read, { title: "forward of Attention", body: "project" })).toEqual(found);
  });

  it("gives an empty list for an issue without words", async () => {
    expect(await retrieveFrom({})).toEqual([]);
  });

  it("gives at most 20", async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`m${n}.py`, "def attention(): pass\n"]));
    const { checkout, index, key } = await makeIndexed(files);
    const input = { issue: { title: "attention", body: "" }, read: readOf({}), checkout, key };

    expect(await retrieve(input, { index }, signal)).toHaveLength(20);
  });
});
