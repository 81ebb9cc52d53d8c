import { describe, expect, it } from "vitest";
import { readTracebacks } from "../../src/issue/read-tracebacks.ts";
import { lines } from "./an-issue.ts";

const plain = [
  "Traceback (most recent call last):",
  '  File "/home/u/run.py", line 9, in <module>',
  "    net(x)",
  '  File "/v/lib/python3.11/site-packages/tinynet/net.py", line 31, in forward',
  "    return x + self.bias",
  "           ~~^~~~~~~~~~~",
  "RuntimeError: The size of tensor a (3) must match",
];
const frames = [
  { file: "/home/u/run.py", line: 9, function: "<module>", code: "net(x)" },
  {
    file: "/v/lib/python3.11/site-packages/tinynet/net.py",
    line: 31,
    function: "forward",
    code: "return x + self.bias",
  },
];

describe("readTracebacks", () => {
  it("reads a Python traceback", () => {
    expect(readTracebacks(lines(...plain))).toEqual([
      { type: "RuntimeError", message: "The size of tensor a (3) must match", frames },
    ]);
  });

  it("reads one whose head is cut off, behind a launcher's prefix", () => {
    const text = plain.slice(3).map((line) => `[rank2]: ${line}`);

    expect(readTracebacks(lines(...text))).toEqual([
      { type: "RuntimeError", message: "The size of tensor a (3) must match", frames: frames.slice(1) },
    ]);
  });

  it("reads one that is quoted and coloured without its escapes", () => {
    const text = plain.map((line) => `> [0;31m${line}[0m`);

    expect(readTracebacks(lines(...text))).toEqual([
      { type: "RuntimeError", message: "The size of tensor a (3) must match", frames },
    ]);
  });

  it("keeps the lines of a message", () => {
    const text = lines(
      ...plain.slice(0, 3),
      "tinynet.errors.ShapeError: bad shapes",
      "  left: (1, 2)",
      "  right: (3,)",
      "",
      "Thanks!",
    );

    expect(readTracebacks(text)).toEqual([
      {
        type: "tinynet.errors.ShapeError",
        message: "bad shapes\n  left: (1, 2)\n  right: (3,)",
        frames: frames.slice(0, 1),
      },
    ]);
  });

  it("reads each part of a chain", () => {
    const text = lines(
      "Traceback (most recent call last):",
      '  File "a.py", line 1, in load',
      "KeyError: 'w'",
      "",
      "The above exception was the direct cause of the following exception:",
      "",
      "Traceback (most recent call last):",
      '  File "a.py", line 4, in <module>',
      "    load()",
      "ValueError: no weights",
    );

    expect(readTracebacks(text)).toEqual([
      { type: "KeyError", message: "'w'", frames: [{ file: "a.py", line: 1, function: "load", code: null }] },
      {
        type: "ValueError",
        message: "no weights",
        frames: [{ file: "a.py", line: 4, function: "<module>", code: "load()" }],
      },
    ]);
  });

  it("reads IPython's form", () => {
    const text = lines(
      "---------------------------------------------------------------------------",
      "RuntimeError                              Traceback (most recent call last)",
      "Cell In[3], line 2",
      "      1 x = torch.zeros(1)",
      "----> 2 net(x)",
      "",
      "File /v/lib/python3.11/site-packages/tinynet/net.py:31, in Net.forward(self, x)",
      "     30 def forward(self, x):",
      "---> 31     return x + self.bias",
      "     32 ",
      "",
      "RuntimeError: sizes differ",
    );

    expect(readTracebacks(text)).toEqual([
      {
        type: "RuntimeError",
        message: "sizes differ",
        frames: [
          { file: "In[3]", line: 2, function: "<module>", code: "net(x)" },
          {
            file: "/v/lib/python3.11/site-packages/tinynet/net.py",
            line: 31,
            function: "Net.forward",
            code: "return x + self.bias",
          },
        ],
      },
    ]);
  });

  it("reads IPython's older form, with the end cut off", () => {
    const text = lines(
      "TypeError                                 Traceback (most recent call last)",
      "<ipython-input-5-6ab> in <module>()",
      "----> 1 net(x)",
      "",
      "/usr/lib/python3.6/dist-packages/tinynet/net.py in forward(self, x)",
      "     11     def forward(self, x):",
      "---> 12         return f(x)",
    );

    expect(readTracebacks(text)).toEqual([
      {
        type: "TypeError",
        message: "",
        frames: [
          { file: "<ipython-input-5-6ab>", line: 1, function: "<module>", code: "net(x)" },
          {
            file: "/usr/lib/python3.6/dist-packages/tinynet/net.py",
            line: 12,
            function: "forward",
            code: "return f(x)",
          },
        ],
      },
    ]);
  });

  it("reads rich's box, broken paths joined", () => {
    const text = lines(
      "╭───────────── Traceback (most recent call last) ─────────────╮",
      "│ /home/u/run.py:9 in <module>                                │",
      "│                                                             │",
      "│   8 x = 1                                                   │",
      "│ ❱ 9 net(x)                                                  │",
      "│ /v/lib/python3.11/site-packages/tinynet/ne                  │",
      "│ t.py:31 in forward                                          │",
      "│   30 │   def forward(self, x):                              │",
      "│ ❱ 31 │   │   return x + self.bias                           │",
      "╰─────────────────────────────────────────────────────────────╯",
      "RuntimeError: sizes differ",
    );

    expect(readTracebacks(text)).toEqual([
      {
        type: "RuntimeError",
        message: "sizes differ",
        frames: [
          { file: "/home/u/run.py", line: 9, function: "<module>", code: "net(x)" },
          {
            file: "/v/lib/python3.11/site-packages/tinynet/net.py",
            line: 31,
            function: "forward",
            code: "return x + self.bias",
          },
        ],
      },
    ]);
  });

  it("reads one inside an exception group", () => {
    const text = lines(
      '    |   File "/x/a.py", line 3, in f',
      "    |     return g(x)",
      "    |            ^^^^",
      "    | RuntimeError: sizes differ",
      "    +------------------------------------",
    );

    expect(readTracebacks(text)).toEqual([
      {
        type: "RuntimeError",
        message: "sizes differ",
        frames: [{ file: "/x/a.py", line: 3, function: "f", code: "return g(x)" }],
      },
    ]);
  });

  it.each([
    ["on its own line", "RuntimeError: sizes differ", "RuntimeError", "sizes differ"],
    ["in a code span", "I get `tinynet.ShapeError: bad shape` with that.", "tinynet.ShapeError", "bad shape"],
    [
      "in a sentence, up to where it goes on",
      "It raises TypeError: expected Tensor when I call it.",
      "TypeError",
      "expected Tensor",
    ],
    ["in a comment of the code", "net(x)  # RuntimeError: sizes differ", "RuntimeError", "sizes differ"],
    ["as pytest prints it", "E       ValueError: no weights", "ValueError", "no weights"],
  ])("reads a lone error %s", (_, text, type, message) => {
    expect(readTracebacks(text)).toEqual([{ type, message, frames: [] }]);
  });

  it.each([
    "It should raise ValueError: no weights",
    "except RuntimeError: pass",
    "    ValueError: if the width is negative",
    "UserWarning: the mask is ignored",
    "class ShapeError(ValueError): pass",
  ])("does not take for an error: %s", (text) => {
    expect(readTracebacks(text)).toEqual([]);
  });

  it("does not repeat an error that a line only mentions again", () => {
    expect(readTracebacks(lines("I get RuntimeError: The size of tensor a (3) must match", "", ...plain))).toHaveLength(
      1,
    );
  });

  it("leaves out frames without an error", () => {
    expect(readTracebacks(lines(...plain.slice(0, 5), "", "Environment:", "linux"))).toEqual([]);
  });
});
