import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BudgetFault, LanguageModelFault } from "../../src/errors.ts";
import { type ContrastInput, contrast } from "../../src/pipeline/contrast.ts";
import type { LanguageModel } from "../../src/ports/language-model.ts";
import type { Execution, Place, Symptom } from "../../src/types.ts";
import { execution, raising } from "../doubles/executions.ts";
import { scriptedExecutor } from "../doubles/scripted-executor.ts";
import { scriptedLanguageModel } from "../doubles/scripted-language-model.ts";
import { report, trialAt } from "../doubles/trials.ts";
import { makeFolder, makeRepository } from "../source/make-repository.ts";
import { readOf } from "./make-index.ts";
import { place, scriptedSandbox } from "./scripted-sandbox.ts";

const { signal } = new AbortController();
const source = "import toy\nobserved = {'out': toy.run(scale=2)}\n";
const wrongValue: Symptom = {
  kind: "wrong-value",
  observation: "out",
  relation: "equals",
  reference: { value: 2 },
  tolerance: 0,
};
const replace = (search: string, by: string) =>
  ({ form: "replace", path: "toy/model.py", search, replace: by }) as const;
const fix = replace("factor = 1", "factor = 2");
const proposal = (by: string, why = "The factor is wrong.") =>
  JSON.stringify({ path: "toy/model.py", search: "factor = 1", replace: by, why });
const keyword = { name: "scale", call: "toy.run", startLine: 2, startColumn: 27, endLine: 2, endColumn: 34 };

/** The toy's `factor` is what it returns; it raises for 1 and 3, with another message. */
const silently = ({ factor }: { factor: string }) => execution({ observed: { out: Number(factor) } });
const loudly = ({ factor, source }: { factor: string; source: string }) => {
  if (factor === "3") return raising({ type: "KeyError", bases: ["KeyError"] });
  return factor === "1" && source.includes("scale=2") ? raising() : execution();
};

interface Given extends Partial<ContrastInput> {
  symptom?: Symptom;
  seen?: (run: { factor: string; source: string }) => Execution;
  languageModel?: LanguageModel | null;
}

async function tryContrasts({ symptom = wrongValue, seen = silently, languageModel = null, ...given }: Given) {
  const repository = makeRepository({ "toy/__init__.py": "", "toy/model.py": "factor = 2\n" });
  repository.git("tag", "v1");
  repository.write({ "toy/model.py": "factor = 1\n" });
  repository.commit();
  const checkout = { ...place.checkout, path: makeFolder({ "toy/__init__.py": "", "toy/model.py": "factor = 1\n" }) };
  const workDirectory = makeFolder();
  const execute = scriptedExecutor((call) => seen({ factor: factorIn(call.place), source: call.source }));
  const description = { parses: true, undefinedNames: [], statements: [], keywords: [keyword] };
  const tried = await contrast(
    {
      source,
      evidence: "out is 1",
      needed: "project",
      report: report(),
      context: { packages: ["toy"], snippets: [], usage: "" },
      trial: trialAt({ ...place, checkout }, { symptom }),
      repository: { from: "git", url: repository.folder, ref: null },
      contrastRef: null,
      seeds: [5],
      ...given,
    },
    {
      sandbox: scriptedSandbox({ result: JSON.stringify(description) }),
      execute,
      languageModel,
      pip: {},
      repositoryAccess: null,
      cacheDirectory: makeFolder(),
      workDirectory,
    },
    signal,
  );
  return { tried, calls: execute.calls, checkout, workDirectory };
}

function factorIn({ checkout }: Place): string {
  return /factor = (\d)/.exec(readFileSync(join(checkout.path, "toy/model.py"), "utf8"))?.[1] ?? "";
}

function outline({ tried }: Awaited<ReturnType<typeof tryContrasts>>): [string, boolean, string][] {
  return tried.map(({ contrast: { by, flips, explanation } }) => [by, flips, explanation]);
}

describe("contrast", () => {
  it("applies the reporter's change to a copy that stays, and leaves the checkout as it is", async () => {
    const { tried, calls, checkout, workDirectory } = await tryContrasts({
      report: report({ read: readOf({ suggestedChanges: [fix] }) }),
    });

    const copy = tried[0]?.place?.checkout.path ?? "";
    expect(tried.map((each) => each.contrast)).toEqual([
      {
        by: "suggested-change",
        description: "the change that the report suggests",
        diff: "--- a/toy/model.py\n+++ b/toy/model.py\n@@ -1,1 +1,1 @@\n-factor = 1\n+factor = 2\n",
        flips: true,
        explanation: "out is 2, as it should be: equal to 2",
        cause: null,
      },
    ]);
    expect(calls.map(({ source: ran, seed, place: { checkout: at } }) => [ran, seed, at])).toEqual([
      [source, 5, { ...checkout, path: copy, change: tried[0]?.contrast.diff }],
    ]);
    expect(readdirSync(workDirectory).map((name) => join(workDirectory, name))).toEqual([copy]);
    expect(existsSync(join(copy, "toy/__init__.py"))).toBe(true);
    expect(readFileSync(join(checkout.path, "toy/model.py"), "utf8")).toBe("factor = 1\n");
  });

  it("runs the same script at another ref, the named one first, and stops where the symptom is gone", async () => {
    const result = await tryContrasts({
      contrastRef: "v1",
      report: report({ read: readOf({ worksIn: ["v0", "v1"], suggestedChanges: [fix] }) }),
    });

    expect(outline(result)).toEqual([["other-ref", true, "out is 2, as it should be: equal to 2"]]);
    expect(result.tried[0]?.contrast.description).toBe("v1");
    expect(factorIn(result.tried[0]?.place ?? place)).toBe("2");
  });

  it("goes from refs to the reporter's changes to the model's, for as long as nothing flips", async () => {
    const languageModel = scriptedLanguageModel([proposal("factor = 4"), proposal("factor = 2")]);
    const suggestedChanges = [replace("factor = 1", "factor = 5")];

    const result = await tryContrasts({
      contrastRef: "main",
      report: report({ read: readOf({ worksIn: ["v9"], suggestedChanges }) }),
      languageModel,
    });

    expect(outline(result)).toEqual([
      ["other-ref", false, "still shows: out is 1; it should be equal to 2"],
      ["suggested-change", false, "still shows: out is 5; it should be equal to 2"],
      ["candidate-change", false, "still shows: out is 4; it should be equal to 2"],
      ["candidate-change", true, "out is 2, as it should be: equal to 2"],
    ]);
    expect(result.tried.at(-1)?.contrast).toMatchObject({
      description: "a change in toy/model.py",
      cause: "The factor is wrong.",
    });
    expect(languageModel.requests[1]?.user).toContain("+factor = 4\nstill shows: out is 4; it should be equal to 2");
  });

  it("finds the reporter's lines in another file than the named one, and drops a change whose lines are nowhere", async () => {
    const suggestedChanges = [replace("factor = 9", "factor = 2"), { ...fix, path: "toy/__init__.py" }];

    const result = await tryContrasts({ report: report({ read: readOf({ suggestedChanges }) }) });

    expect(outline(result)).toEqual([["suggested-change", true, "out is 2, as it should be: equal to 2"]]);
    expect(result.calls).toHaveLength(1);
  });

  it("tells the model that its change does not apply", async () => {
    const elsewhere = JSON.stringify({ path: "../model.py", search: "factor = 1", replace: "factor = 2" });
    const languageModel = scriptedLanguageModel([elsewhere, proposal("factor = 2", "")]);

    const result = await tryContrasts({ languageModel });

    const refusal = 'does not apply: the path "../model.py" leads outside the project';
    expect(outline(result)).toEqual([
      ["candidate-change", false, refusal],
      ["candidate-change", true, "out is 2, as it should be: equal to 2"],
    ]);
    expect(languageModel.requests[1]?.user).toContain(refusal);
    expect(result.tried.map(({ place: at, contrast: { cause } }) => [at === null, cause])).toEqual([
      [true, null],
      [false, null],
    ]);
  });

  it("asks the model twice at most", async () => {
    const languageModel = scriptedLanguageModel([proposal("factor = 4"), proposal("factor = 5")]);

    const result = await tryContrasts({ languageModel });

    expect(outline(result).map(([by, flips]) => [by, flips])).toEqual([
      ["candidate-change", false],
      ["candidate-change", false],
    ]);
  });

  it("asks no model where the failing frame names the project already", async () => {
    const languageModel = scriptedLanguageModel([]);
    const symptom = trialAt(place).symptom;

    expect((await tryContrasts({ symptom, needed: "none", seen: loudly, languageModel })).tried).toEqual([]);
  });

  it("asks the model when only the script was changed and the project has to be", async () => {
    const symptom: Symptom = { kind: "warning", category: "UserWarning", message: null };
    const warning = { category: "UserWarning", bases: [], message: "w", file: "a.py", line: 1, in: "library" as const };
    const result = await tryContrasts({
      symptom,
      report: report({ title: "Warns with scale" }),
      seen: (run) => (loudly(run).ending.how === "exception" ? execution({ warnings: [warning] }) : execution()),
      languageModel: scriptedLanguageModel([proposal("factor = 2")]),
    });

    expect(outline(result).map(([by, flips]) => [by, flips])).toEqual([
      ["neighbouring-configuration", true],
      ["candidate-change", true],
    ]);
  });

  it("takes a neighbouring configuration of the script where any contrast will do", async () => {
    const { tried, calls, checkout } = await tryContrasts({
      symptom: trialAt(place).symptom,
      needed: "any",
      report: report({ title: "Fails with scale" }),
      seen: loudly,
    });

    expect(tried).toEqual([
      {
        contrast: {
          by: "neighbouring-configuration",
          description: "without scale in toy.run(…)",
          diff: null,
          flips: true,
          explanation: "the script ran to its end",
          cause: null,
        },
        place: null,
      },
    ]);
    expect(calls.map((call) => [call.source, call.place.checkout])).toEqual([
      ["import toy\nobserved = {'out': toy.run()}\n", checkout],
    ]);
  });

  it("is no contrast when something else fails in the symptom's place", async () => {
    const result = await tryContrasts({
      symptom: trialAt(place).symptom,
      report: report({ read: readOf({ suggestedChanges: [replace("factor = 1", "factor = 3")] }) }),
      seen: loudly,
    });

    expect(outline(result)).toEqual([["suggested-change", false, expect.stringMatching(/^KeyError: /)]]);
  });

  it("is no contrast when the observation goes away with the symptom", async () => {
    const result = await tryContrasts({
      report: report({ read: readOf({ suggestedChanges: [fix] }) }),
      seen: () => execution(),
    });

    expect(outline(result)).toEqual([["suggested-change", false, expect.stringContaining("no observation out")]]);
  });

  it("leaves the bug without contrast when the model cannot put a change into words", async () => {
    const languageModel = scriptedLanguageModel(["No.", "No.", "No."]);

    expect((await tryContrasts({ languageModel })).tried).toEqual([]);
  });

  it.each([
    ["an endpoint that refuses", new LanguageModelFault("401", { retryable: false, status: 401 })],
    ["an endpoint that is down", new LanguageModelFault("503", { retryable: true, status: 503 })],
    ["a budget that is used up", new BudgetFault("used up")],
  ])("passes %s on", async (_, fault) => {
    const languageModel = { description: "failing", complete: () => Promise.reject(fault) };

    await expect(tryContrasts({ languageModel })).rejects.toBe(fault);
  });
});
