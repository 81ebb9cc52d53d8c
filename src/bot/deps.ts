import type { Logger } from "pino";
import type { RunLimits } from "../job.ts";
import type { AppDesk } from "../ports/desk.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { Queue } from "../ports/queue.ts";
import type { Counters } from "./counters.ts";
import type { DailyLimits } from "./limits.ts";

/** What the process needs that answers GitHub. */
export interface BotDeps {
  desk: AppDesk;
  ledger: Ledger;
  queue: Queue;
  /** Of one run; a repository's own settings may lower them. */
  limits: RunLimits;
  daily: DailyLimits;
  /** What `--model` may name. */
  models: readonly string[];
  counters: Counters;
  log: Logger;
  /** Left out of everything that is written, literally. */
  secrets: readonly string[];
  now: () => Date;
}
