import { z } from "zod";
import type { Sandbox, SandboxResult } from "../ports/sandbox.ts";
import type { Ending, Execution, Place } from "../types.ts";
import { callHarness } from "./harness.ts";

/** What the harness takes itself, to start, to tell the stack of a script that hangs, and to write. */
const HARNESS_MS = 20_000;

const Where = z.enum(["script", "project", "library"]);

const HarnessFrame = z.object({
  file: z.string(),
  line: z.number(),
  function: z.string(),
  code: z.string().nullable(),
  in: Where,
});

const HarnessResult = z.object({
  ending: z.discriminatedUnion("how", [
    z.object({ how: z.literal("completed"), exitCode: z.number() }),
    z.object({
      how: z.literal("exception"),
      chain: z
        .array(
          z.object({
            type: z.string(),
            bases: z.array(z.string()),
            message: z.string(),
            frames: z.array(HarnessFrame),
          }),
        )
        .min(1),
    }),
    z.object({ how: z.literal("signal"), signal: z.string(), stack: z.array(HarnessFrame) }),
    z.object({ how: z.literal("timeout"), stack: z.array(HarnessFrame) }),
    z.object({ how: z.literal("limit"), limit: z.enum(["memory", "processes", "disk"]) }),
  ]),
  observed: z.record(z.string(), z.unknown()),
  unobservable: z.record(z.string(), z.string()),
  warnings: z.array(
    z.object({
      category: z.string(),
      bases: z.array(z.string()),
      message: z.string(),
      file: z.string(),
      line: z.number(),
      in: Where,
    }),
  ),
  project: z.object({
    imported: z.array(z.string()),
    entered: z.array(z.object({ file: z.string(), function: z.string(), line: z.number() })),
    replaced: z.array(z.string()),
  }),
  peakMemoryBytes: z.number().nullable(),
});
type HarnessResult = z.infer<typeof HarnessResult>;

/**
 * Runs a script once in the sandbox. Whatever the script does is an ending; a script that takes longer than
 * `timeoutSeconds` ends as `timeout`, with the stack where it was.
 * @throws {HarnessFault} the harness broke its contract.
 * @throws {SandboxFault} the sandbox itself cannot run.
 */
export async function execute(
  input: { source: string; seed: number; timeoutSeconds: number },
  place: Place,
  deps: { sandbox: Sandbox },
  signal: AbortSignal,
): Promise<Execution> {
  const { source, seed, timeoutSeconds } = input;
  const call = {
    tool: "run" as const,
    source,
    spec: { seed, timeoutSeconds },
    env: {
      SEED: String(seed),
      PYTHONHASHSEED: String(seed % 2 ** 32),
      // Threads that wait for others give their processor away: beside another run a script takes twice its time, not tenfold.
      OMP_WAIT_POLICY: "PASSIVE",
    },
    limits: {
      wallTimeMs: timeoutSeconds * 1_000 + HARNESS_MS,
      memoryBytes: place.memoryBytes,
      processes: 512,
      outputBytes: 1024 * 1024,
      diskBytes: 2 * 1024 ** 3,
    },
    gpus: place.gpus,
    schema: HarnessResult,
  };
  const { result, sandbox } = await callHarness(call, place, deps.sandbox, signal);
  const { stdout, stderr, durationMs } = sandbox;
  return { seed, ...(result ?? endedBySandbox(sandbox)), stdout, stderr, durationMs };
}

/** The whole sandbox was ended, and what the harness had seen with it. */
function endedBySandbox(sandbox: SandboxResult): HarnessResult {
  return {
    ending: endingOf(sandbox.ending),
    observed: {},
    unobservable: {},
    warnings: [],
    project: { imported: [], entered: [], replaced: [] },
    peakMemoryBytes: null,
  };
}

function endingOf(ending: SandboxResult["ending"]): Ending {
  switch (ending.how) {
    case "exited":
      return { how: "completed", exitCode: ending.code };
    case "signal":
    case "timeout":
      return { ...ending, stack: [] };
    case "limit":
      return ending;
  }
}
