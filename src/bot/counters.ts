import type { Verdict } from "../types.ts";

/** What operators see of the bot; each is told once it has happened. Contract: must not throw. */
export interface Counters {
  delivery(event: string, result: "queued" | "ignored"): void;
  runStarted(trigger: string): void;
  runEnded(verdict: Verdict, spent: { tokens: number; gpuSeconds: number }): void;
  stage(name: string, durationMs: number): void;
  fault(name: string): void;
}
