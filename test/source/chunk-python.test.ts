import { describe, expect, it } from "vitest";
import { chunkFile } from "../../src/source/chunk-file.ts";
import { chunkPython } from "../../src/source/chunk-python.ts";
import type { Chunk } from "../../src/types.ts";

const SOURCE = `"""Module."""
import torch
from torch import nn

LIMIT = 3

# A layer.

@register("attention")
class Attention(nn.Module):
    """Attends."""

    scale: float = 1.0

    def __init__(
        self,
        dim,
    ):
        super().__init__()

    # The pass.
    @torch.no_grad()
    async def forward(self, x):
        def inner():
            return x
        return inner()

    alias = forward

    class Config:
        size = 1

if torch.cuda.is_available():
    def fast(x):
        return x
else:
    fast = None

try:
    import flash
except ImportError:
    flash = None


def helper(x):
    return x
if __name__ == "__main__":
    helper(1)
`;

function places(chunks: Chunk[]): string[] {
  return chunks.map(({ kind, symbol, startLine, endLine }) => `${kind} ${symbol} ${startLine}-${endLine}`);
}

describe("chunkPython", () => {
  it("cuts functions, methods, class heads and module-level code", async () => {
    const chunks = await chunkPython("pkg/layers.py", SOURCE);

    expect(places(chunks)).toEqual([
      "module layers 1-5",
      "class Attention 7-13",
      "method Attention.__init__ 15-19",
      "method Attention.forward 21-26",
      "class Attention.Config 30-31",
      "module layers 33-33",
      "function fast 34-35",
      "module layers 36-42",
      "function helper 45-46",
      "module layers 47-48",
    ]);
  });

  it("gives each chunk the text of its lines, and a class head its later code and signatures too", async () => {
    const chunks = await chunkPython("pkg/layers.py", SOURCE);
    const lines = SOURCE.split("\n");

    for (const { kind, text, startLine, endLine } of chunks) {
      const own = lines.slice(startLine - 1, endLine).join("\n");
      if (kind === "class") expect(text.startsWith(own)).toBe(true);
      else expect(text).toBe(own);
    }
    expect(chunks[1]?.text).toBe(`# A layer.

@register("attention")
class Attention(nn.Module):
    """Attends."""

    scale: float = 1.0
    alias = forward
    def __init__(
        self,
        dim,
    ):
    async def forward(self, x):
    class Config:`);
  });

  it("covers every line that is not blank exactly once, but for class-level code between methods", async () => {
    const chunks = await chunkPython("pkg/layers.py", SOURCE);
    const covered = chunks.flatMap(({ startLine, endLine }) =>
      Array.from({ length: endLine - startLine + 1 }, (_, offset) => startLine + offset),
    );
    const written = SOURCE.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [index + 1]));

    expect(new Set(covered).size).toBe(covered.length);
    expect(written.filter((line) => !covered.includes(line))).toEqual([28]);
  });

  it("splits long functions where a statement starts", async () => {
    const body = Array.from({ length: 150 }, (_, n) => `    x = call(\n        ${n},\n    )`).join("\n");
    const chunks = await chunkPython("a.py", `def long(x):\n${body}\n`);

    expect(places(chunks)).toEqual([
      "function long 1-118",
      "function long 119-238",
      "function long 239-358",
      "function long 359-451",
    ]);
    expect(chunks.slice(1).every(({ text }) => text.startsWith("    x = call("))).toBe(true);
  });

  it("cuts what has no statements by lines", async () => {
    const rows = Array.from({ length: 300 }, (_, n) => `    ${n},`).join("\n");

    expect(places(await chunkPython("table.py", `TABLE = [\n${rows}\n]\n`))).toEqual([
      "module table 1-120",
      "module table 121-240",
      "module table 241-302",
    ]);
  });

  it("cuts a file that parses in part as far as it goes", async () => {
    const chunks = await chunkPython(
      "a.py",
      "def good():\n    return 1\n\nprint 'old'\nx = = 3\n\ndef after():\n    pass\n",
    );

    expect(places(chunks)).toEqual(["function good 1-2", "module a 4-5", "function after 7-8"]);
  });

  it("gives nothing for a file without code, and counts lines of any ending", async () => {
    expect(await chunkPython("pkg/__init__.py", "\n\n")).toEqual([]);
    expect(places(await chunkPython("pkg/__init__.py", "x = 1\r\ndef f():\r\n    pass\r\n"))).toEqual([
      "module pkg 1-1",
      "function f 2-3",
    ]);
  });

  it("counts lines, not bytes, in text with characters of any width", async () => {
    const chunks = await chunkPython("a.py", 'x = "日本語 🎉"\n\ndef naïve():\n    return "é"\n');

    expect(places(chunks)).toEqual(["module a 1-1", "function naïve 3-4"]);
    expect(chunks[1]?.text).toBe('def naïve():\n    return "é"');
  });
});

describe("chunkFile", () => {
  it("cuts the code cells of a notebook, magics commented out", async () => {
    const cells = [
      { cell_type: "markdown", source: ["# Title"] },
      { cell_type: "code", source: ["%pip install x\n", "import x"] },
      { cell_type: "code", source: "def f():\n    return 1" },
    ];

    const chunks = await chunkFile("a.ipynb", JSON.stringify({ cells }));

    expect(places(chunks ?? [])).toEqual(["module a 1-2", "function f 4-5"]);
    expect(chunks?.[0]?.text).toBe("# %pip install x\nimport x");
  });

  it("gives null for a notebook that is none", async () => {
    expect(await chunkFile("a.ipynb", "{")).toBeNull();
    expect(await chunkFile("a.ipynb", "[]")).toBeNull();
  });
});
