import { describe, expect, it } from "vitest";
import { hostPythons, runTool } from "./host-python.ts";

function describeSource(source: string, files: Record<string, string> = {}, interpreter?: string) {
  return runTool({ tool: "describe", source, files, ...(interpreter && { interpreter }) }).result;
}

describe("undefined names", () => {
  const cases: [string, unknown][] = [
    ["x = 1\nprint(x, __name__, __file__)", []],
    [
      "print(torch)\nnn.x",
      [
        { name: "torch", line: 1 },
        { name: "nn", line: 2 },
      ],
    ],
    ["def f(a):\n    b = a\n    return [c + d for c in b]\n", [{ name: "d", line: 3 }]],
    ["def f(torch): return torch\ntorch.x", [{ name: "torch", line: 2 }]],
    ["class A:\n    x = 1\n    def f(self): return x, __class__", [{ name: "x", line: 3 }]],
    ["def f():\n    global g\n    g = 1\nprint(g)", []],
    ["try: pass\nexcept E as e: print(e)", [{ name: "E", line: 2 }]],
    ["print(y := 1, y)\nfor i, (j, k) in []: print(i, j, k)\nwith open('x') as f: f", []],
    ["import a.b, c as d\nprint(a, d, c)", [{ name: "c", line: 2 }]],
    [
      "from pkg import *\nprint(one, two, _three)",
      [
        { name: "two", line: 2 },
        { name: "_three", line: 2 },
      ],
    ],
    ["from nowhere_at_all import *\nprint(one)", []],
  ];
  it.each(cases)("of %j", (source, names) => {
    const told = describeSource(source, { "pkg/__init__.py": "one = 1\n_three = 3\n" });

    expect(told).toMatchObject({ parses: true, undefinedNames: names });
  });
});

describe("statements", () => {
  it("are told in order, decorators with what they decorate", () => {
    const { statements } = describeSource("import a; x = 1\n@a\ndef f():\n    return 1\n\nx = (1,\n  2)\n");

    expect(statements).toEqual([
      { startLine: 1, endLine: 1 },
      { startLine: 1, endLine: 1 },
      { startLine: 2, endLine: 4 },
      { startLine: 6, endLine: 7 },
    ]);
  });

  it("are not told of what does not parse", () => {
    expect(describeSource("x = 1\ny = = 2\n")).toEqual({
      parses: false,
      message: expect.stringContaining("invalid syntax"),
      line: 2,
    });
  });
});

const source = [
  "@dec",
  "def f(a, b=1, *, c=2):",
  "    return g(a, b = (1), # why",
  "        c=lambda x, y=2: x)",
  "x = f(1, é=2, **k); y = f(a=1,)",
  "z = mod.Config(",
  "    a=1,",
  "    b=[1, h(2, q=3)],  # two",
  ")",
  "class A(B, metaclass=M): pass",
  "f(lambda a, b=1: a, b=2)",
  "f((yield_), *rest, d=1, e={'k': 1})",
].join("\n");

describe.each(hostPythons())("keywords, with %s", (interpreter) => {
  it("have spans that can be cut out one at a time", () => {
    const { keywords } = describeSource(source, {}, interpreter);

    const cuts = keywords.map((span: Span) => cut(source, span));
    expect(keywords.map((span: Span) => `${span.call} ${span.name}`)).toEqual([
      "g b",
      "g c",
      "f é",
      "f a",
      "mod.Config a",
      "mod.Config b",
      "h q",
      "f b",
      "f d",
      "f e",
    ]);
    for (const shorter of cuts) expect(describeSource(shorter, {}, interpreter)).toMatchObject({ parses: true });
    expect(cuts[1]).toContain("return g(a, b = (1))");
    expect(cuts[2]).toContain("x = f(1, **k);");
    expect(cuts[3]).toContain("y = f()");
    expect(cuts[5]).toContain("a=1,  # two\n)");
  });
});

describe.each(hostPythons())("keywords in an f-string, with %s", (interpreter) => {
  it("are told from Python 3.12 on, and left out before, where their places are not known", () => {
    const { keywords } = describeSource('print(f"{f(q=1)}")', {}, interpreter);

    const minor = Number(/3\.(\d+)$/.exec(interpreter)?.[1]);
    expect(keywords).toMatchObject(minor >= 12 ? [{ call: "f", name: "q" }] : []);
  });
});

interface Span {
  name: string;
  call: string;
  startLine: number;
  startColumn: number;
  endLine: number;
  endColumn: number;
}

function cut(text: string, span: Span): string {
  const bytes = Buffer.from(text);
  const offset = (line: number, column: number) =>
    Buffer.byteLength(
      text
        .split("\n")
        .slice(0, line - 1)
        .join("\n"),
    ) +
    (line > 1 ? 1 : 0) +
    column;
  return Buffer.concat([
    bytes.subarray(0, offset(span.startLine, span.startColumn)),
    bytes.subarray(offset(span.endLine, span.endColumn)),
  ]).toString();
}
