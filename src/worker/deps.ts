import type { Logger } from "pino";
import type { Counters } from "../bot/counters.ts";
import type { DailyLimits } from "../bot/limits.ts";
import type { Deps } from "../pipeline/deps.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { Queue } from "../ports/queue.ts";

/** What the process needs that runs issues. It holds no key of the App and writes nothing to GitHub. */
export interface WorkerDeps {
  queue: Queue;
  ledger: Ledger;
  /** Of the pipeline, but for what is each run's own. */
  pipeline: Omit<Deps, "onProgress" | "paid" | "repositoryAccess" | "languageModel">;
  /** The model of that name, or the configured one for null; null where there is no endpoint. */
  languageModel: (name: string | null) => LanguageModel | null;
  /** Where repositories are cloned from: `https://github.com`. */
  serverUrl: string;
  /** Shared with the process that answers GitHub; null where there is none, and no private repository. */
  queueSecret: string | null;
  memoryBytes: number;
  daily: DailyLimits;
  counters: Counters;
  log: Logger;
}
