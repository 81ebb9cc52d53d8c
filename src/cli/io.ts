import type { Config } from "../config.ts";
import type { Deps } from "../pipeline/deps.ts";
import type { Forge } from "../ports/forge.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { Queue } from "../ports/queue.ts";

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

/** Makes every adapter of a run in this process. */
export type BuildDependencies = (config: Config, model: ModelChoice, signal: AbortSignal) => Promise<Dependencies>;

/** Makes what reaches the bot's runs: its Redis, which has to be there. */
export type BuildBackground = (config: Config) => Promise<{ ledger: Ledger; queue: Queue } & AsyncDisposable>;

/** The composition roots, handed in by the entry point. */
export interface Builders {
  buildDependencies: BuildDependencies;
  buildBackground: BuildBackground;
}

export interface CommandContext extends Builders {
  io: Io;
  signal: AbortSignal;
}
