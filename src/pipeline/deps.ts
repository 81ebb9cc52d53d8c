import type { Logger } from "pino";
import type { PipConfiguration } from "../environment/pip-configuration.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import type { LexicalIndex } from "../ports/lexical-index.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import type { RepositoryAccess } from "../source/remote-repository.ts";
import type { Execution, Place } from "../types.ts";
import type { Paid } from "./paid.ts";
import type { Progress } from "./run.ts";

/** Everything the pipeline needs from outside. Built in `workers/build-dependencies.ts`. */
export interface Deps {
  sandbox: Sandbox;
  index: LexicalIndex;
  /** Null when no endpoint is configured: the reporter's own code is all that is tried then. */
  languageModel: LanguageModel | null;
  /** Where packages come from. */
  pip: PipConfiguration;
  /** For private repositories; null where there is no token. */
  repositoryAccess: RepositoryAccess | null;
  cacheDirectory: string;
  paid: Paid;
  log: Logger;
  /** Contract: must not throw. */
  onProgress: (progress: Progress) => void;
}

/** What the stages of one run are handed: the ports, each metered and written to the trajectory. */
export interface RunDeps {
  sandbox: Sandbox;
  index: LexicalIndex;
  languageModel: LanguageModel | null;
  pip: PipConfiguration;
  repositoryAccess: RepositoryAccess | null;
  cacheDirectory: string;
  /** Of this run alone; removed at its end. */
  workDirectory: string;
  execute: Executor;
  /** A line about the stage that is running. */
  onProgress: (text: string) => void;
}

export type Executor = (
  input: { source: string; seed: number; timeoutSeconds: number },
  place: Place,
  signal: AbortSignal,
) => Promise<Execution>;
