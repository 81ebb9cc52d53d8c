import { expect, it } from "vitest";
import { minimise } from "../../src/pipeline/minimise.ts";
import type { Sandbox } from "../../src/ports/sandbox.ts";
import { execution, raising } from "../doubles/executions.ts";
import { scriptedExecutor } from "../doubles/scripted-executor.ts";
import { trialAt } from "../doubles/trials.ts";
import { describeInBubblewrap, makePlace } from "./host-sandbox.ts";

const { signal } = new AbortController();

/** Shortens a script that shows the symptom for as long as it holds every one of `needed`. */
async function shorten(sandbox: Sandbox, source: string, given: { needed: string[]; cleanWith?: string }) {
  await using project = await makePlace({ "toy/__init__.py": "" });
  const fixed = { ...project, checkout: { ...project.checkout, label: "fixed" } };
  const { needed, cleanWith } = given;
  const execute = scriptedExecutor((call) => {
    if (call.place.checkout.label === "fixed")
      return cleanWith === undefined || call.source.includes(cleanWith) ? execution() : raising({ type: "KeyError" });
    return needed.every((part) => call.source.includes(part)) ? raising() : execution();
  });
  const trial = trialAt(project);
  const contrastTrial = cleanWith === undefined ? null : trialAt(fixed);
  const shorter = await minimise({ source, trial, contrastTrial, runs: 1 }, { sandbox, execute }, signal);
  return { shorter, calls: execute.calls };
}

describeInBubblewrap("minimise", (sandbox) => {
  it("leaves out what the judge does not need", async () => {
    const source = "import toy\n\n# a comment\nx = 1\nprint(x)\ntoy.run()\nprint('after')\n";

    const { shorter } = await shorten(sandbox, source, { needed: ["toy.run()"] });

    expect(shorter).toBe("import toy\ntoy.run()\n");
  });

  it("keeps what lets the script run clean where the symptom goes away", async () => {
    const source = "import toy\ntoy.prepare()\nx = 1\ntoy.run()\n";

    const { shorter, calls } = await shorten(sandbox, source, { needed: ["toy.run()"], cleanWith: "toy.prepare()" });

    expect(shorter).toBe("import toy\ntoy.prepare()\ntoy.run()\n");
    expect(calls.length).toBeLessThanOrEqual(10);
  });

  it("returns the script as it is when nothing can go, comments and shared lines included", async () => {
    const source = "# Shows it.\nimport toy; steps = []\n\nsteps.append(1); toy.run(steps)\n";

    const { shorter } = await shorten(sandbox, source, { needed: ["import toy", "toy.run"] });

    expect(shorter).toBe(source);
  });

  it("keeps statements whole: decorators, blocks, strings of many lines and many bytes", async () => {
    const kept = [
      "import toy",
      "@toy.mark",
      "def test_größe():",
      '    """Größe 你好',
      '    x = 1"""',
      "    return toy.run(",
      "        'ß',",
      "    )",
      "if True:",
      "    y = 1",
      "    test_größe()",
      "else:",
      "    z = 1",
    ];
    const source = [...kept.slice(0, 8), 'note = """', "你好", '"""', ...kept.slice(8), "print('ß')"].join("\n");

    const { shorter } = await shorten(sandbox, source, { needed: ["test_größe()\n"] });

    expect(shorter).toBe(`${kept.join("\n")}\n`);
  });

  it("never returns what was not seen to show it, and executes ten times at most", async () => {
    const needed = Array.from({ length: 24 }, (_, index) => `toy.step(${index})`).filter((_, index) => index % 2 === 0);
    const source = `import toy\n${Array.from({ length: 24 }, (_, index) => `toy.step(${index})\n`).join("")}`;

    const { shorter, calls } = await shorten(sandbox, source, { needed });

    expect(calls).toHaveLength(10);
    expect(needed.every((part) => shorter.includes(part))).toBe(true);
    expect([source, ...calls.map((call) => call.source)]).toContain(shorter);
  });

  it("does not execute what uses a name that went away", async () => {
    const { shorter, calls } = await shorten(sandbox, "import toy\nx = 3\ntoy.run(x)\n", { needed: ["toy.run"] });

    expect(shorter).toBe("import toy\nx = 3\ntoy.run(x)\n");
    expect(calls.map((call) => call.source)).toEqual(["import toy\nx = 3\n"]);
  });

  it("leaves a script alone that the place's Python cannot read", async () => {
    const { shorter, calls } = await shorten(sandbox, "import toy\nx = = 1\n", { needed: [] });

    expect(shorter).toBe("import toy\nx = = 1\n");
    expect(calls).toEqual([]);
  });
});
