import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { tokenNote } from "../bot/give-token.ts";
import { unseal } from "../bot/seal.ts";
import type { RunRequest } from "../bot/types.ts";
import { RepositoryFault } from "../errors.ts";
import type { WorkerDeps } from "./deps.ts";

const pollMs = 100;
const patienceMs = 45_000;

/**
 * A token to read the run's private repository, asked of the process that holds the App's key.
 * @throws {RepositoryFault} there is no secret to share one by, or no answer came.
 */
export async function askForToken(
  { runId }: RunRequest,
  { queue, ledger, queueSecret }: WorkerDeps,
  signal: AbortSignal,
): Promise<string> {
  if (queueSecret === null) {
    throw new RepositoryFault("private repositories need REPGEN_QUEUE_SECRET, in both processes", { retryable: false });
  }
  const id = randomUUID();
  await queue.add("token", { runId }, { id });
  for (const until = performance.now() + patienceMs; performance.now() < until; ) {
    const sealed = await ledger.note(tokenNote(id));
    const token = sealed === null ? null : unseal(sealed, queueSecret, id);
    if (token !== null) return token;
    if (sealed !== null)
      throw new RepositoryFault("REPGEN_QUEUE_SECRET differs between the processes", { retryable: false });
    await delay(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  throw new RepositoryFault("no token for the private repository came", { retryable: true });
}
