import { expect, it } from "vitest";
import { adaptReporterCode } from "../../src/pipeline/adapt-reporter-code.ts";
import type { Sandbox } from "../../src/ports/sandbox.ts";
import { describeInBubblewrap, makePlace } from "./host-sandbox.ts";
import { makeIndexed } from "./make-index.ts";

const { signal } = new AbortController();
const files = {
  "toy/__init__.py": "from .model import Net\n",
  "toy/model.py": "class Net:\n    pass\n\n\ndef helper():\n    pass\n",
};

async function adapt(sandbox: Sandbox, code: string) {
  await using place = await makePlace(files);
  const { index, key } = await makeIndexed(files);
  const context = { packages: ["toy"], snippets: [], usage: "" };
  return await adaptReporterCode({ code, place, context, key }, { sandbox, index }, signal);
}

const adapted = (source: string, added: string[]) => ({ ok: true, candidate: { source, from: "reporter" }, added });

describeInBubblewrap("adaptReporterCode", (sandbox) => {
  it("leaves code that lacks nothing as it is", async () => {
    const code = "import toy\n\ntoy.Net()  # fails";

    expect(await adapt(sandbox, code)).toEqual(adapted(`${code}\n`, []));
  });

  it("adds the imports of the project, its names, torch and numpy, each once", async () => {
    const code = "net = Net()\nhelper(torch.zeros(3), np.ones(3))\ntoy.Net(nn.Linear(1, 1), torch)\n";
    const added = [
      "from torch import nn",
      "from toy import Net",
      "from toy.model import helper",
      "import numpy as np",
      "import torch",
      "import toy",
    ].sort();

    expect(await adapt(sandbox, code)).toEqual(adapted(`${added.join("\n")}\n${code}`, added));
  });

  it.each([
    ["'''Doc.'''\nfrom __future__ import annotations\n", "Net()\n"],
    ["from __future__ import (\n    annotations,\n)\n", "Net()\n"],
    ["", "text = '''\nfrom __future__ import annotations\n'''\nNet(text)\n"],
  ])("puts imports after %j", async (before, after) => {
    expect(await adapt(sandbox, before + after)).toEqual(
      adapted(`${before}from toy import Net\n${after}`, ["from toy import Net"]),
    );
  });

  it("cannot run code with a name that nothing explains", async () => {
    expect(await adapt(sandbox, "Net(my_data)\n")).toEqual({
      ok: false,
      reason: "it uses `my_data`, which it does not define",
    });
  });

  it("cannot run what does not parse", async () => {
    expect(await adapt(sandbox, "net = Net(\n...\nnet.run()\n")).toEqual({
      ok: false,
      reason: expect.stringMatching(/^it does not parse: .+ \(line \d+\)$/),
    });
  });
});
