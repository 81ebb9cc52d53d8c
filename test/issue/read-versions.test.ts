import { describe, expect, it } from "vitest";
import { lines, read } from "./an-issue.ts";

describe("readVersions", () => {
  it.each<[string, string, Record<string, string>]>([
    ["requirements", "torch==2.1.0+cu118 and Some_Thing[x]==1.2rc1", { torch: "2.1.0", "some-thing": "1.2rc1" }],
    [
      "collect_env",
      lines(
        "PyTorch version: 2.1.0",
        "CUDA used to build PyTorch: 11.8",
        "OS: Ubuntu 22.04.3 LTS",
        "Python version: 3.10.12 (main)",
        "[pip3] numpy==1.26.0",
      ),
      { torch: "2.1.0", python: "3.10.12", numpy: "1.26.0" },
    ],
    [
      "transformers' env",
      lines(
        "- `transformers` version: 4.44.0",
        "- Platform: Linux-5.15.0-x86_64",
        "- Huggingface_hub version: 0.24.5",
        "- PyTorch version (GPU?): 2.4.0 (True)",
        "- Tensorflow version (GPU?): not installed (NA)",
      ),
      { transformers: "4.44.0", "huggingface-hub": "0.24.5", torch: "2.4.0" },
    ],
    [
      "Lightning's form",
      lines("#- PyTorch Lightning Version (e.g., 2.5.0): 2.4.1", "#- Python version (e.g., 3.12): 3.11"),
      { "pytorch-lightning": "2.4.1", python: "3.11" },
    ],
    [
      "ultralytics' checks",
      "Ultralytics 8.3.2 🚀 Python-3.11.2 torch-2.4.1 CPU (Intel)",
      { ultralytics: "8.3.2", python: "3.11.2", torch: "2.4.1" },
    ],
    ["a bullet list", lines("- Python 3.10", "- PyTorch: 2.0", "* OS: Windows 10.0"), { python: "3.10", torch: "2.0" }],
    [
      "pip's list",
      lines(
        "```",
        "Package    Version",
        "---------- -------",
        "einops     0.7.0",
        "odd-thing  1.2.3",
        "torch      2.1.0",
        "```",
      ),
      { einops: "0.7.0", "odd-thing": "1.2.3", torch: "2.1.0" },
    ],
    ["a table", lines("| package | version |", "| --- | --- |", "| torch | 2.1.0 |"), { torch: "2.1.0" }],
    [
      "prose",
      "I use x-transformers 1.27.7 with pytorch v2.1 on CUDA 12.1.0 and tinynet 3.0.",
      { "x-transformers": "1.27.7", torch: "2.1", tinynet: "3.0" },
    ],
    [
      "a form's version field",
      lines("### TensorFlow version", "", "2.14", "", "### What version are you seeing the problem on?", "", "v3.1"),
      { tensorflow: "2.14", tinynet: "3.1" },
    ],
    ["a frame's path", '  File "/opt/lib/python3.9/site-packages/a.py", line 3, in f', { python: "3.9" }],
    ["a version that works", "It worked with torch 2.0.1 but fails with torch 2.1.0", { torch: "2.1.0" }],
    ["no version", lines("dropout = 0.1", "lr=1.5, loss: 0.25", "step 3.5 of 4.0", "GCC 11.4.0"), {}],
  ])("reads %s", (_, body, versions) => {
    expect(read(body, "It fails").versions).toEqual(versions);
  });
});

describe("readWorksIn", () => {
  it.each<[string, string[]]>([
    ["It works in 1.2.0.", ["1.2.0"]],
    ["It worked fine with v1.1 and `tinynet==1.0.3`", ["v1.1"]],
    ["No problem with version 0.9.2", ["0.9.2"]],
    ["This is a regression since v2.0", ["v2.0"]],
    ["Downgrading to tinynet 1.4.1 helps; the last working commit is 0a1b2c3d4e", ["0a1b2c3d4e", "1.4.1"]],
    ["It does not work in 1.3.0 and stopped working in 1.2.0", []],
    ["It works with torch 2.0.1 and Python 3.9", []],
    ["It works in 2 of 3 cases", []],
  ])("reads %s", (body, refs) => {
    expect(read(body, "It fails").worksIn).toEqual(refs);
  });
});
