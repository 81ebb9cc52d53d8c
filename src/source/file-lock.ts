import { DatabaseSync } from "node:sqlite";
import { pause } from "./pause.ts";

const SQLITE_BUSY = 5;

/**
 * Runs `work` while no other process (and no one else in this one) holds the lock file. The system releases it when
 * the process dies: SQLite's own file locks do the work, and nothing is ever stored in the file.
 */
export async function withFileLock<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    while (!take(lock)) await pause(100, signal);
    return await work();
  } finally {
    lock.close();
  }
}

function take(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
