import { z } from "zod";
import { HarnessFault } from "../errors.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import type { Place, ScriptDescription } from "../types.ts";
import { callHarness, READING_LIMITS } from "./harness.ts";

const Description = z.discriminatedUnion("parses", [
  z.object({ parses: z.literal(false), message: z.string(), line: z.number() }),
  z.object({
    parses: z.literal(true),
    undefinedNames: z.array(z.object({ name: z.string(), line: z.number() })),
    statements: z.array(z.object({ startLine: z.number(), endLine: z.number() })),
    keywords: z.array(
      z.object({
        name: z.string(),
        call: z.string(),
        startLine: z.number(),
        startColumn: z.number(),
        endLine: z.number(),
        endColumn: z.number(),
      }),
    ),
  }),
]);

/**
 * Describes a script as the place's own Python reads it. Nothing is run.
 * @throws {HarnessFault} the harness broke its contract.
 * @throws {SandboxFault} the sandbox itself cannot run.
 */
export async function describeScript(
  source: string,
  place: Place,
  deps: { sandbox: Sandbox },
  signal: AbortSignal,
): Promise<ScriptDescription> {
  const call = {
    tool: "describe" as const,
    source,
    spec: {},
    limits: READING_LIMITS,
    gpus: [],
    schema: Description,
  };
  const { result, sandbox } = await callHarness(call, place, deps.sandbox, signal);
  if (result === null) {
    throw new HarnessFault(`describe.py did not end by itself: ${sandbox.ending.how}`, { retryable: true });
  }
  return result;
}
