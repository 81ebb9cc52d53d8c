import type { Executor } from "../../src/pipeline/deps.ts";
import type { Execution, Place } from "../../src/types.ts";

export interface Executed {
  source: string;
  seed: number;
  timeoutSeconds: number;
  place: Place;
}

/** Runs nothing: `respond` says what happens, from script, seed and place. Calls are kept; executions carry their seed. */
export function scriptedExecutor(respond: (call: Executed) => Execution): Executor & { calls: Executed[] } {
  const calls: Executed[] = [];
  const execute: Executor = async (input, place, signal) => {
    signal.throwIfAborted();
    const call = { ...input, place };
    calls.push(call);
    return { ...respond(call), seed: input.seed };
  };
  return Object.assign(execute, { calls });
}
