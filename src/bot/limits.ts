import type { Amounts, Ledger } from "../ports/ledger.ts";
import type { Home } from "./types.ts";

/** What may be used on a day (UTC); infinite where nothing is said. */
export interface DailyLimits {
  repository: Amounts;
  installation: Amounts;
  everything: Amounts;
}

const words: Record<keyof Amounts, string> = { runs: "runs", tokens: "tokens", gpuSeconds: "seconds of GPU time" };

/** Whose limit is used up, and until when; null when another run may start. */
export async function overLimit(
  home: Home,
  limits: DailyLimits,
  ledger: Ledger,
  now: Date,
): Promise<{ what: string; until: string } | null> {
  for (const [scope, key, whose] of scopesOf(home)) {
    const spent = await ledger.spent(key, dayOf(now));
    for (const name of ["runs", "tokens", "gpuSeconds"] as const) {
      if (spent[name] < limits[scope][name]) continue;
      return { what: `the ${words[name]} ${whose}`, until: nextDay(now) };
    }
  }
  return null;
}

/** Counts what a run has used, for all whose limit it is. */
export async function spend(home: Home, amounts: Partial<Amounts>, ledger: Ledger, now: Date): Promise<void> {
  const whole = { runs: 0, tokens: 0, gpuSeconds: 0, ...amounts };
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
