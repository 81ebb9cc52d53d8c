import { loadConfig } from "../config.ts";
import { prepareBase } from "../environment/prepare-base.ts";
import type { CommandContext } from "./io.ts";

/** `repgen setup`: builds the environment that all projects share. Quick when it is there. */
export async function setUp({ io, buildDependencies, signal }: CommandContext): Promise<number> {
  const config = loadConfig(io.env);
  const none = { name: null, record: null, replay: null };
  await using dependencies = await buildDependencies(config, none, signal);
  await prepareBase({ ...dependencies, onProgress: (text) => io.stderr.write(`  ${text}\n`) }, signal);
  return 0;
}
