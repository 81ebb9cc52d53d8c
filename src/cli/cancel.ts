import { cancel as cancelRun } from "../bot/cancel-run.ts";
import { loadConfig } from "../config.ts";
import { UsageFault } from "../errors.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { CommandContext } from "./io.ts";

/** `repgen cancel OWNER/REPO#N`: ends the bot's run of an issue, from the machine that its Redis is reached from. */
export async function cancel(issue: string, { io, buildBackground }: CommandContext): Promise<number> {
  const [, repository, number] = /^([\w.-]+\/[\w.-]+)#(\d+)$/.exec(issue) ?? [];
  if (repository === undefined) throw new UsageFault(`${issue} is not an issue. Write OWNER/REPO#N.`);
  await using background = await buildBackground(loadConfig(io.env));
  const request = await findRun(repository, Number(number), background.ledger);
  if (request === null) {
    io.stderr.write(`repgen: no run of ${issue} is under way\n`);
    return 1;
  }
  await cancelRun(request, background);
  io.stdout.write(`${request.runId} is cancelled; the issue will say so.\n`);
  return 0;
}

async function findRun(repository: string, number: number, ledger: Ledger) {
  for (const key of await ledger.openIssues()) {
    if (!key.endsWith(`/${number}`)) continue;
    const request = (await ledger.recordOf(key)).run?.request ?? null;
    if (request?.home.repository.fullName.toLowerCase() === repository.toLowerCase()) return request;
  }
  return null;
}
