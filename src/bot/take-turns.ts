import { BusyFault } from "../errors.ts";

/** Keeps one installation's jobs from taking every hand. */
export interface Turns {
  /**
   * Held while a job is at it. `urgent` is one more than there may be otherwise.
   * @throws {BusyFault} so many of this installation are at it; says when to come again.
   */
  enter(installationId: number, options?: { urgent?: boolean }): Disposable;
}

/**
 * GitHub lets an installation write a comment every few seconds, and a job that writes one waits for that. So `most` of
 * an installation's jobs are under way at a time; others come again later, one every `spacingMs`.
 */
export function takeTurns({ most, spacingMs }: { most: number; spacingMs: number }, clock = () => Date.now()): Turns {
  const under = new Map<number, { busy: number; nextAt: number }>();
  return {
    enter(installationId, { urgent = false } = {}) {
      const now = clock();
      const turn = under.get(installationId) ?? { busy: 0, nextAt: 0 };
      under.set(installationId, turn);
      if (turn.busy >= most + (urgent ? 1 : 0)) {
        turn.nextAt = Math.max(now, turn.nextAt) + spacingMs;
        throw new BusyFault("others of this installation come first", { retryAfterMs: turn.nextAt - now });
      }
      turn.busy += 1;
      return {
        [Symbol.dispose]() {
          turn.busy -= 1;
          if (turn.busy === 0 && turn.nextAt <= clock()) under.delete(installationId);
        },
      };
    },
  };
}
