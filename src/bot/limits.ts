import type { Amounts, Ledger } from "../ports/ledger.ts";
import type { Home, IssueRecord, RunRequest } from "./types.ts";

/** What may be used on a day (UTC); infinite where nothing is said. */
export interface DailyLimits {
  repository: Amounts;
  installation: Amounts;
  everything: Amounts;
}

const none: Amounts = { runs: 0, tokens: 0, gpuSeconds: 0 };

const words: Record<keyof Amounts, string> = { runs: "runs", tokens: "tokens", gpuSeconds: "seconds of GPU time" };

/** A limit that is used up: what of, and until when. */
export interface UsedUp {
  what: string;
  until: string;
}

/**
 * Counts one more run for all whose limit it is; or says whose limit is used up and until when, and counts none. Runs
 * that are asked for at once are counted one after the other.
 */
export async function admitRun(
  run: Pick<RunRequest, "home" | "gpu">,
  limits: DailyLimits,
  ledger: Ledger,
  now: Date,
): Promise<UsedUp | null> {
  const counted: string[] = [];
  for (const [scope, key, whose] of scopesOf(run.home)) {
    const { runs, ...spent } = await ledger.spend(key, dayOf(now), { ...none, runs: 1 });
    counted.push(key);
    const name = runs > limits[scope].runs ? "runs" : nameUsedUp(spent, limits[scope], run);
    if (name === null) continue;
    for (const each of counted) await ledger.spend(each, dayOf(now), { ...none, runs: -1 });
    return { what: `the ${words[name]} ${whose}`, until: nextDay(now) };
  }
  return null;
}

/**
 * What keeps a run that was admitted from beginning: others have used it up since. Those that are under way together
 * may still go over a limit, each by what one run may use.
 */
export async function findUsedUp(
  run: Pick<RunRequest, "home" | "gpu">,
  limits: DailyLimits,
  ledger: Ledger,
  now: Date,
): Promise<UsedUp | null> {
  for (const [scope, key, whose] of scopesOf(run.home)) {
    const name = nameUsedUp(await ledger.spent(key, dayOf(now)), limits[scope], run);
    if (name !== null) return { what: `the ${words[name]} ${whose}`, until: nextDay(now) };
  }
  return null;
}

/** GPU time is nothing to a run that needs none. */
function nameUsedUp(
  spent: Pick<Amounts, "tokens" | "gpuSeconds">,
  limits: Amounts,
  { gpu }: Pick<RunRequest, "gpu">,
): "tokens" | "gpuSeconds" | null {
  if (spent.tokens >= limits.tokens) return "tokens";
  return gpu && spent.gpuSeconds >= limits.gpuSeconds ? "gpuSeconds" : null;
}

/** Counts what a run has used, for all whose limit it is; what was counted before is not counted again. */
export async function countUsed(
  run: NonNullable<IssueRecord["run"]>,
  used: Omit<Amounts, "runs">,
  ledger: Ledger,
  now: Date,
): Promise<void> {
  const tokens = Math.max(0, used.tokens - run.counted.tokens);
  const gpuSeconds = Math.max(0, used.gpuSeconds - run.counted.gpuSeconds);
  if (tokens === 0 && gpuSeconds === 0) return;
  run.counted = { tokens: run.counted.tokens + tokens, gpuSeconds: run.counted.gpuSeconds + gpuSeconds };
  for (const [, key] of scopesOf(run.request.home))
    await ledger.spend(key, dayOf(now), { runs: 0, tokens, gpuSeconds });
}

function scopesOf({ repository, installationId }: Home): [keyof DailyLimits, string, string][] {
  return [
    ["repository", `repository-${repository.id}`, "of this repository"],
    ["installation", `installation-${installationId}`, "of this installation"],
    ["everything", "everything", "of the bot"],
  ];
}

function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10);
}

function nextDay(now: Date): string {
  const midnight = new Date(now);
  midnight.setUTCHours(24, 0, 0, 0);
  return `${midnight.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
