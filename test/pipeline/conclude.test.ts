import { describe, expect, it } from "vitest";
import type { ReproduceJob } from "../../src/job.ts";
import { Outcome } from "../../src/outcome.ts";
import { conclude } from "../../src/pipeline/conclude.ts";
import { emptyFinding, type Finding } from "../../src/pipeline/finding.ts";
import type { Attempt, Judgement } from "../../src/types.ts";
import { execution } from "../doubles/executions.ts";
import { judged, report } from "../doubles/trials.ts";
import { place } from "./scripted-sandbox.ts";

const job: ReproduceJob = {
  issue: { repository: "a/b", number: 7, title: "It fails", body: "", createdAt: null, url: null },
  source: { from: "git", url: "https://example.org/a/b", ref: null },
  contrastRef: null,
  python: null,
  withPackages: [],
  hint: null,
  runs: 3,
  limits: { maxTokens: 1, maxAttempts: 1, maxDurationMs: 1 },
  gpus: [],
  memoryBytes: 1,
};
const spent = { attempts: 1, modelCalls: 2, promptTokens: 3, completionTokens: 4, executions: 5 };

function concluded(finding: Partial<Finding> = {}) {
  const ended = { verdict: "not-reproduced", reason: "No." } as const;
  const run = { spent, elapsedMs: () => 1234 };
  return conclude({ job, ended, sandbox: "a sandbox", finding: { ...emptyFinding(), ...finding } }, run);
}

function attempted(judgement: Judgement, name: string): Attempt {
  return judged(judgement, { candidate: { source: name, from: "model" } });
}

const unseen = (because: Extract<Judgement, { shows: false }>["because"]) =>
  attempted({ shows: false, because, explanation: `explained: ${because}` }, because);

describe("conclude", () => {
  it("makes an outcome of a run that found out nothing", () => {
    const outcome = concluded();

    expect(outcome).toEqual({
      version: 1,
      verdict: "not-reproduced",
      reason: "No.",
      issue: { repository: "a/b", number: 7, title: "It fails", url: null },
      project: null,
      reported: { observed: "It fails", expected: "" },
      symptom: null,
      script: null,
      scriptFrom: null,
      evidence: null,
      observed: {},
      runs: { total: 0, shown: 0 },
      contrasts: [],
      environment: null,
      log: "",
      spent: { durationMs: 1234, ...spent },
    });
    expect(Outcome.parse(outcome)).toEqual(outcome);
  });

  it("tells the shortened script with what its long form showed", () => {
    const shown = attempted({ shows: true, evidence: "loss is 1" }, "long");
    const contrasts = [
      { by: "other-ref", description: "v1", diff: null, flips: true, explanation: "", cause: null } as const,
    ];

    const outcome = concluded({
      report: report({ observed: "", problem: "It is off." }),
      checkout: place.checkout,
      environment: place.environment,
      attempts: [unseen("ran-clean"), shown],
      shown,
      confirmation: { runs: 3, shown: 2, contrasts },
      minimised: "short",
    });

    expect(outcome).toMatchObject({
      project: { label: "test", commit: "0".repeat(40), leftOut: 0 },
      reported: { observed: "It is off.", expected: "It runs." },
      script: "short",
      scriptFrom: "model",
      evidence: "loss is 1",
      runs: { total: 3, shown: 2 },
      contrasts,
      environment: {
        pythonVersion: "3.11.0",
        sandbox: "a sandbox",
        packages: {},
        substitutions: [],
        projectInstalled: true,
      },
    });
    expect(Outcome.parse(outcome)).toEqual(outcome);
  });

  it.each([
    [["ran-clean", "different-symptom", "set-up"], "different-symptom"],
    [["set-up", "ran-clean", "took-too-long"], "ran-clean"],
    [["not-observed", "set-up"], "not-observed"],
  ] as const)("of %j tells what came nearest", (reasons, nearest) => {
    expect(concluded({ attempts: reasons.map(unseen) })).toMatchObject({
      script: nearest,
      evidence: `explained: ${nearest}`,
    });
  });

  it("tells a script that was not run, without evidence, when there is no better", () => {
    const refused: Attempt = {
      ...unseen("set-up"),
      validation: { ok: false, problems: [] },
      execution: null,
      judgement: null,
    };

    expect(concluded({ attempts: [refused] })).toMatchObject({ script: "set-up", evidence: null, observed: {} });
  });

  it("leaves long observations out, but never the one that the symptom speaks of", () => {
    const long = "x".repeat(4000);
    const attempt = {
      ...unseen("ran-clean"),
      execution: execution({ observed: { loss: long, other: long, size: 3 } }),
    };

    const { observed } = concluded({ attempts: [attempt], symptom: { kind: "not-finite", observation: "loss" } });

    expect(observed).toEqual({ loss: long, size: 3 });
  });

  it("keeps the end of what the script printed, or of the installer's log where that ended the run", () => {
    const printed = execution({ stdout: `${"x".repeat(7000)}\nstdout`, stderr: "stderr" });
    const attempts = [{ ...unseen("ran-clean"), execution: printed }];

    const { log } = concluded({ attempts });

    expect(log).toHaveLength(6000);
    expect(log).toMatch(/^x+\nstdout\nstderr$/);
    expect(concluded({ attempts, installLog: "pip said no" }).log).toBe("pip said no");
  });
});
