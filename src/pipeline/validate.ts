import { z } from "zod";
import { HarnessFault } from "../errors.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import type { Candidate, Place, Symptom, Validation } from "../types.ts";
import { callHarness, READING_LIMITS } from "./harness.ts";

const Problems = z.object({
  problems: z.array(
    z.object({
      kind: z.enum([
        "syntax",
        "unknown-import",
        "unknown-name",
        "unknown-argument",
        "mimic",
        "forbidden",
        "no-observation",
      ]),
      line: z.number(),
      message: z.string(),
    }),
  ),
});

/**
 * Checks a candidate without running it: does it parse, does what it names exist, does it only pretend? `packages` are
 * the import names of the project. Problems are told in the order of lines, in sentences for the candidate's author.
 * @throws {HarnessFault} the harness broke its contract.
 * @throws {SandboxFault} the sandbox itself cannot run.
 */
export async function validate(
  input: { candidate: Candidate; symptom: Symptom; packages: string[] },
  place: Place,
  deps: { sandbox: Sandbox },
  signal: AbortSignal,
): Promise<Validation> {
  const { candidate, symptom, packages } = input;
  const call = {
    tool: "check" as const,
    source: candidate.source,
    spec: { symptom, packages, from: candidate.from },
    limits: READING_LIMITS,
    gpus: [],
    schema: Problems,
  };
  const { result, sandbox } = await callHarness(call, place, deps.sandbox, signal);
  if (result === null) {
    throw new HarnessFault(`check.py did not end by itself: ${sandbox.ending.how}`, { retryable: true });
  }
  return result.problems.length === 0 ? { ok: true } : { ok: false, problems: result.problems };
}
