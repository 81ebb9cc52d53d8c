import { describe, expect, it } from "vitest";
import { lines, read } from "./an-issue.ts";

const base = "https://github.com/acme/tinynet/blob";

describe("readPermalinks", () => {
  it("reads lines, a line, and a file", () => {
    const body = lines(
      `${base}/abc123/tinynet/net.py#L10-L20`,
      `see (${base}/v1.2/tinynet/a%20b.py#L3).`,
      `${base}/main/tinynet/x.py,`,
    );

    expect(read(body).permalinks).toEqual([
      { repository: "acme/tinynet", ref: "abc123", path: "tinynet/net.py", startLine: 10, endLine: 20 },
      { repository: "acme/tinynet", ref: "v1.2", path: "tinynet/a b.py", startLine: 3, endLine: 3 },
      { repository: "acme/tinynet", ref: "main", path: "tinynet/x.py", startLine: null, endLine: null },
    ]);
  });

  it("reads columns, a query and raw files, and puts a backward range right", () => {
    const body = lines(`${base}/m/a.py?plain=1#L9C2-L7C4`, "https://raw.githubusercontent.com/acme/tinynet/m/b.py");

    expect(read(body).permalinks).toEqual([
      { repository: "acme/tinynet", ref: "m", path: "a.py", startLine: 7, endLine: 9 },
      { repository: "acme/tinynet", ref: "m", path: "b.py", startLine: null, endLine: null },
    ]);
  });

  it("leaves out paths that lead elsewhere, and repetitions", () => {
    const body = lines(
      `${base}/m/../../x.py`,
      `${base}/m/%2e%2e/x.py`,
      `${base}/m/%zz.py`,
      `${base}/m/a.py`,
      `${base}/m/a.py`,
    );

    expect(read(body).permalinks.map(({ path }) => path)).toEqual(["a.py"]);
  });
});

describe("readPaths", () => {
  it("puts linked files first, then frames from the innermost, then files as written", () => {
    const body = lines(
      "In `./tinynet/util.py` and train.py(line 3)",
      `${base}/m/tinynet/net.py#L3`,
      '  File "/v/lib/python3.11/site-packages/tinynet/outer.py", line 3, in g',
      '  File "C:\\v\\Lib\\site-packages\\tinynet\\inner.py", line 3, in f',
      "ValueError: x",
    );

    expect(read(body).paths).toEqual([
      "tinynet/net.py",
      "tinynet/inner.py",
      "tinynet/outer.py",
      "tinynet/util.py",
      "train.py",
    ]);
  });

  it("reads a file in the title", () => {
    expect(read("", "tinynet -> net.py(mistake)").paths).toEqual(["net.py"]);
  });
});

describe("readIdentifiers", () => {
  it("puts names of the title first, then code spans, prose, and code", () => {
    const body = lines(
      "`ShapeGuard` and the pad_value of tinynet.nets.DeepNet",
      "```python",
      "import torch",
      "from tinynet import spin",
      "model = WideNet(inner_width=4)",
      "torch.zeros(3).cuda()",
      "```",
    );

    expect(read(body, "MultiGate ignores use_bias").identifiers).toEqual([
      "MultiGate",
      "use_bias",
      "ShapeGuard",
      "tinynet.nets.DeepNet",
      "pad_value",
      "DeepNet",
      "inner_width",
      "WideNet",
      "tinynet",
      "spin",
    ]);
  });

  it("takes plain words from code spans and leaves out commonplaces", () => {
    expect(read("`spin` with `torch.nn.Linear`, `self.forward`, `x`, `RuntimeError`", "It fails").identifiers).toEqual([
      "spin",
    ]);
  });

  it("takes names from the project's frames of a traceback, not from libraries' or folders", () => {
    const body = lines(
      '  File "/home/some_user/my_folder/run_it.py", line 1, in launch_all',
      '  File "/v/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1, in _wrapped_call_impl',
      "    return self._call_impl(*args)",
      "ValueError: x",
    );

    expect(read(lines("```", body, "```"), "It fails").identifiers).toEqual(["launch_all"]);
  });

  it("is bounded", () => {
    const many = Array.from({ length: 500 }, (_, index) => `\`some_name_${index}\``).join(" ");

    expect(read(many).identifiers).toHaveLength(60);
  });
});
