import type { Amounts, Ledger } from "../ports/ledger.ts";
import type { Home } from "./types.ts";

/** What may be used on a day (UTC); infinite where nothing is said. */
export interface DailyLimits {
  repository: Amounts;
  installation: Amounts;
  everything: Amounts;
}

const none: Amounts = { runs: 0, tokens: 0, gpuSeconds: 0 };

const words: Record<keyof Amounts, string> = { runs: "runs", tokens: "tokens", gpuSeconds: "seconds of GPU time" };

/**
 * Counts one more run for all whose limit it is; or says whose limit is used up and until when, and counts none. Runs
 * that are asked for at once are counted one after the other.
 */
export async function admitRun(
  home: Home,
  limits: DailyLimits,
  ledger: Ledger,
  now: Date,
): Promise<{ what: string; until: string } | null> {
  const counted: string[] = [];
  for (const [scope, key, whose] of scopesOf(home)) {
    const spent = await ledger.spend(key, dayOf(now), { ...none, runs: 1 });
    counted.push(key);
    const before = { ...spent, runs: spent.runs - 1 };
    const name = (["runs", "tokens", "gpuSeconds"] as const).find((each) => before[each] >= limits[scope][each]);
    if (name === undefined) continue;
    for (const each of counted) await ledger.spend(each, dayOf(now), { ...none, runs: -1 });
    return { what: `the ${words[name]} ${whose}`, until: nextDay(now) };
  }
  return null;
}

/** Counts what a run has used, for all whose limit it is. */
export async function spend(home: Home, amounts: Partial<Amounts>, ledger: Ledger, now: Date): Promise<void> {
  const whole = { ...none, ...amounts };
  for (const [, key] of scopesOf(home)) await ledger.spend(key, dayOf(now), whole);
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
