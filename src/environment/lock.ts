import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 200;

/**
 * Runs `work` while no other process, nor another call in this one, holds the lock file. The operating system gives
 * the lock back when its holder dies.
 * @throws the signal's reason when it aborts while waiting.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    while (!tryBegin(database)) await sleep(POLL_MS, undefined, { signal });
    return await work();
  } finally {
    database.close();
  }
}

function tryBegin(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && /database is locked/.test(error.message)) return false;
    throw error;
  }
}
