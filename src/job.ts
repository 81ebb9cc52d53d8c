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
}

export interface RunLimits {
  /** Prompts and replies together. */
  maxTokens: number;
  /** Candidates of the model. */
  maxAttempts: number;
  /** Everything together. */
  maxDurationMs: number;
}
