import { z } from "zod";
import { Symptom, Verdict } from "./types.ts";

/** The end of a run, as `outcome.json` holds it. Everything that the comment says comes from here. */
export const Outcome = z.object({
  version: z.literal(1),
  verdict: Verdict,
  /** One or two sentences for people: why this verdict. */
  reason: z.string(),
  issue: z.object({
    repository: z.string().nullable(),
    number: z.number().nullable(),
    title: z.string(),
    url: z.string().nullable(),
  }),
  /** What was run: its label and full commit id. Null when it was not prepared. */
  project: z.object({ label: z.string(), commit: z.string(), leftOut: z.number() }).nullable(),
  /** What the reporter saw and expected, in short. */
  reported: z.object({ observed: z.string(), expected: z.string() }),
  /** Fixed before the run that decided. */
  symptom: Symptom.nullable(),
  /** The minimised script, without the check that `reproduce.py` adds; the best so far for other verdicts. */
  script: z.string().nullable(),
  scriptFrom: z.enum(["reporter", "model"]).nullable(),
  /** What was observed, in one line. */
  evidence: z.string().nullable(),
  /** What the script observed, as the harness told it; long values are left out. */
  observed: z.record(z.string(), z.unknown()),
  /** Times the script was run to confirm, and how many showed the symptom. */
  runs: z.object({ total: z.number(), shown: z.number() }),
  contrasts: z.array(
    z.object({
      by: z.enum(["suggested-change", "candidate-change", "other-ref", "neighbouring-configuration"]),
      description: z.string(),
      /** Unified diff, or null for another ref. */
      diff: z.string().nullable(),
      /** Did the symptom go away, with nothing else going wrong? */
      flips: z.boolean(),
      explanation: z.string(),
      /** What the model that proposed a change says of the cause; null for other contrasts. */
      cause: z.string().nullable(),
    }),
  ),
  environment: z
    .object({
      pythonVersion: z.string(),
      sandbox: z.string(),
      /** Distribution → version. */
      packages: z.record(z.string(), z.string()),
      substitutions: z.array(z.object({ wanted: z.string(), got: z.string(), reason: z.string() })),
      projectInstalled: z.boolean(),
    })
    .nullable(),
  /** Tail of what the script or the installer printed. */
  log: z.string(),
  spent: z.object({
    durationMs: z.number(),
    attempts: z.number(),
    modelCalls: z.number(),
    promptTokens: z.number(),
    completionTokens: z.number(),
    executions: z.number(),
  }),
});
export type Outcome = z.infer<typeof Outcome>;

/** The outcome of a run that came to nothing that could be told. */
export function bareOutcome(issue: Outcome["issue"], verdict: Verdict, reason: string): Outcome {
  return {
    version: 1,
    verdict,
    reason,
    issue,
    project: null,
    reported: { observed: "", expected: "" },
    symptom: null,
    script: null,
    scriptFrom: null,
    evidence: null,
    observed: {},
    runs: { total: 0, shown: 0 },
    contrasts: [],
    environment: null,
    log: "",
    spent: { durationMs: 0, attempts: 0, modelCalls: 0, promptTokens: 0, completionTokens: 0, executions: 0 },
  };
}
