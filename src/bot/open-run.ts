import type { IssueKey, Ledger } from "../ports/ledger.ts";
import type { Home } from "./types.ts";

/** Where a run belongs whose end has not been told; null for any other. */
export async function openRun(runId: string, ledger: Ledger): Promise<{ issue: IssueKey; home: Home } | null> {
  const issue = await ledger.issueOf(runId);
  const run = issue === null ? null : (await ledger.recordOf(issue)).run;
  return issue !== null && run?.request.runId === runId ? { issue, home: run.request.home } : null;
}
