import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readRepositorySettings } from "../../src/bot/repository-settings.ts";

const defaults = {
  label: "needs-repro",
  roles: ["admin", "maintain", "write"],
  labels: {},
  python: null,
  packages: [],
  setup: [],
  test: null,
  network: [],
  gpu: false,
  runs: 3,
  budgets: { tokens: null, attempts: null, minutes: null },
  leaveOut: [],
};

describe("readRepositorySettings", () => {
  it.each(["", "# nothing yet\n", "---\n"])("has a default for everything in %j", (text) => {
    expect(readRepositorySettings(text)).toEqual({ ok: true, settings: defaults });
  });

  it("takes every setting", () => {
    const text = `label: repro please
roles: [admin]
labels: { reproduced: confirmed, flaky: null }
python: "3.11"
packages: [timm==1.0.9, "torch>=2,<3"]
setup:
  - python tools/build.py
test: pytest -q
network: [data.example.org]
gpu: true
runs: 5
budgets: { tokens: 50000, minutes: 20 }
leaveOut: ["docs/**"]
`;

    expect(readRepositorySettings(text)).toEqual({
      ok: true,
      settings: {
        label: "repro please",
        roles: ["admin"],
        labels: { reproduced: "confirmed", flaky: null },
        python: "3.11",
        packages: ["timm==1.0.9", "torch>=2,<3"],
        setup: ["python tools/build.py"],
        test: "pytest -q",
        network: ["data.example.org"],
        gpu: true,
        runs: 5,
        budgets: { tokens: 50_000, attempts: null, minutes: 20 },
        leaveOut: ["docs/**"],
      },
    });
  });

  it("takes the README's example", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const [, example = ""] = /```yaml\n([\s\S]*?)```/.exec(readme) ?? [];

    expect(readRepositorySettings(example)).toMatchObject({ ok: true, settings: { packages: ["timm==1.0.9"] } });
  });

  it.each([
    ["lable: x", ["line 1: lable: there is no such setting; there are label, roles"]],
    ["runs: 3\ngpu: maybe", ["line 2: gpu: "]],
    ["runs: 0", ["line 1: runs: "]],
    ["# a\npython: 3.11", ["line 2: python: "]],
    ['python: "2.7"', ['it has to be a version in quotes, such as "3.11"']],
    ["packages:\n  - timm\n  - --index-url=x", ["line 3: packages.1: it has to be a package"]],
    ["roles: [read]", ["line 1: roles.0: "]],
    ["labels:\n  reproduced: ok\n  fixed: done", ["line 3: labels.fixed"]],
    ["budgets:\n  token: 5", ["line 2: budgets.token: "]],
    ["network: ['http://x']", ["line 1: network.0: it has to be a host's name"]],
    ["a: [1", ["line 1: "]],
    ["a: 1\na: 2", ["line 2: "]],
    ["- a\n- b", ["line 1: "]],
    ["just text", ["line 1: "]],
    ["a: &x [1]\nb: *x", [": there is no such setting"]],
    ["x".repeat(70_000), ["longer than 64 KiB"]],
  ])("names the line of what is wrong in %j", (text, problems) => {
    expect(readRepositorySettings(text)).toEqual({
      ok: false,
      problems: problems.map((problem) => expect.stringContaining(problem)),
    });
  });
});
