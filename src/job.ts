import type { Issue, RepositorySource } from "./types.ts";

/** One run: which issue, on what, and how far to go. */
export interface ReproduceJob {
  issue: Issue;
  source: RepositorySource;
  /** Another commit, tag or release where the bug should not show. Null for none. */
  contrastRef: string | null;
  /** `X.Y`, or null to choose. */
  python: string | null;
  /** Requirements to install besides the project's (`NAME==VERSION`). */
  withPackages: string[];
  /** What a maintainer says about it; part of what the model is shown. */
  hint: string | null;
  /** How often the script is run to confirm. */
  runs: number;
  limits: RunLimits;
  gpus: readonly string[];
  memoryBytes: number;
  /** What the project's maintainers have to say on how it is run. (Default: nothing.) */
  settings?: ProjectSettings;
}

export interface ProjectSettings {
  setup: ProjectSetup;
  /** Globs of files that no model is shown, relative to the project: `docs/**`. */
  leaveOut: readonly string[];
}

/** Makes an installed checkout ready. */
export interface ProjectSetup {
  /** Of a shell, in the project's folder, each once, with the environment's Python first on the path. */
  commands: readonly string[];
  /** What they may reach beside package registries, as `host`. */
  hosts: readonly string[];
}

export interface RunLimits {
  /** Prompts and replies together. */
  maxTokens: number;
  /** Candidates of the model. */
  maxAttempts: number;
  /** Everything together. */
  maxDurationMs: number;
}
