import type { Config } from "../config.ts";
import type { Deps } from "../pipeline/deps.ts";
import type { Forge } from "../ports/forge.ts";

/** What the command line reads and writes. */
export interface Io {
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  env: NodeJS.ProcessEnv;
  /** Relative paths start here. */
  cwd: string;
}

/** How a run's model is chosen: the configured one, a recording, or the configured one while recording. */
export interface ModelChoice {
  /** Null for the configured name. */
  name: string | null;
  record: string | null;
  replay: string | null;
}

export interface Dependencies extends Omit<Deps, "onProgress">, AsyncDisposable {
  forge: Forge;
  /** What must not stand in a comment. */
  secrets: readonly string[];
}

/** The composition root: makes every adapter. Handed in by the entry point. */
export type BuildDependencies = (config: Config, model: ModelChoice, signal: AbortSignal) => Promise<Dependencies>;

export interface CommandContext {
  io: Io;
  buildDependencies: BuildDependencies;
  signal: AbortSignal;
}
