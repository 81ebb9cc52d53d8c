import { describe, expect, it } from "vitest";
import { buildContext, renderContext } from "../../src/pipeline/build-context.ts";
import type { ReadIssue } from "../../src/types.ts";
import { makeIndexed, readOf } from "./make-index.ts";

const { signal } = new AbortController();

const body = Array.from({ length: 100 }, (_, n) => `        value_${n} = compute(self.weight, ${n})`).join("\n");
const FILES = {
  "README.md": "```python\nfrom pkg import Layer\n```\n",
  "pkg/__init__.py": "from .layer import Layer\n",
  "pkg/layer.py": `class Layer:\n    """A layer."""\n\n    def forward(self, x):\n${body}\n        return x\n`,
  "pkg/small.py": "def small():\n    return 1\n",
};

async function contextOf(names: string[], read: Partial<ReadIssue>, budgetCharacters?: number) {
  const { checkout, index, key } = await makeIndexed(FILES);
  const chunks = (await Promise.all(names.map((name) => index.definitions(key, name)))).flat();
  const retrieved = chunks.map((chunk) => ({ chunk, score: 1, because: ["identifier"] }));
  const options = budgetCharacters === undefined ? {} : { budgetCharacters };
  return await buildContext({ read: readOf(read), retrieved, checkout, key, ...options }, { index }, signal);
}

describe("buildContext", () => {
  it("gives packages, usage and snippets, a method's with the head of its class", async () => {
    const context = await contextOf(["small", "forward"], {});

    expect(context).toMatchObject({ packages: ["pkg"], usage: "from pkg import Layer" });
    expect(context.snippets.map(({ chunk, because }) => [chunk.symbol, ...because])).toEqual([
      ["small", "identifier"],
      ["Layer.forward", "identifier"],
      ["Layer", "class-head"],
    ]);
  });

  it("cuts a long chunk to the lines that the issue is about, and says which", async () => {
    const frame = { file: "pkg/layer.py", line: 1, function: "forward", code: "value_80 = compute(self.weight, 80)" };
    const tracebacks = [{ type: "E", message: "", frames: [frame] }];

    const { snippets } = await contextOf(["forward"], { tracebacks }, 1_000);

    const [snippet] = snippets;
    const lines = FILES["pkg/layer.py"].split("\n");
    expect(snippet?.chunk.text).toContain("value_80 ");
    expect(snippet?.chunk.text.length).toBeLessThanOrEqual(1_000);
    expect(snippet?.chunk.text).toBe(
      lines.slice((snippet?.chunk.startLine ?? 0) - 1, snippet?.chunk.endLine).join("\n"),
    );
  });

  it("stays within its budget", async () => {
    const { snippets } = await contextOf(["forward", "small", "Layer"], {}, 600);

    const characters = snippets.reduce((sum, { chunk }) => sum + chunk.text.length, 0);
    expect(characters).toBeLessThanOrEqual(600);
  });
});

describe("renderContext", () => {
  it("shows each snippet with its place, fenced so that nothing in it ends the fence", () => {
    const chunk = {
      path: "a.py",
      startLine: 3,
      endLine: 4,
      kind: "function",
      symbol: "f",
      text: '"""\n```\n"""',
    } as const;

    expect(
      renderContext({ packages: ["pkg"], snippets: [{ chunk, score: 1, because: [] }], usage: "import pkg" }),
    ).toBe(
      `a.py:3-4 (f)
\`\`\`\`python
"""
\`\`\`
"""
\`\`\`\`

How the project is used (its README)
\`\`\`python
import pkg
\`\`\``,
    );
  });

  it("is empty for an empty context", () => {
    expect(renderContext({ packages: [], snippets: [], usage: "" })).toBe("");
  });
});
