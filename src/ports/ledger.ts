import type { IssueRecord, RunProgress } from "../bot/types.ts";

/** What the processes remember between jobs. Survives each of them. */
export interface Ledger extends AsyncDisposable {
  /**
   * Reads an issue's record and keeps what `change` leaves of it, whether it returns or throws; no other process is at
   * the same issue meanwhile. `keep` keeps it at once: for what others may act on before the change is over.
   * @throws {BusyFault} another one was, for too long.
   */
  withIssue<T>(issue: IssueKey, change: (record: IssueRecord, keep: () => Promise<void>) => Promise<T>): Promise<T>;
  /** An issue's record as it is now, for whoever only looks. */
  recordOf(issue: IssueKey): Promise<IssueRecord>;
  /** Issues with a run that has not been told the end of. */
  openIssues(): Promise<IssueKey[]>;
  /** The issue that a run is of; null when it is not known (any more). */
  issueOf(runId: string): Promise<IssueKey | null>;

  requestCancel(runId: string): Promise<void>;
  /** Aborts as soon as somebody asks for the run's end, or has asked already. */
  cancelSignal(runId: string): Promise<AbortSignal & Disposable>;

  putProgress(runId: string, progress: RunProgress): Promise<void>;
  progressOf(runId: string): Promise<RunProgress | null>;

  /** What a run has paid for, so that it is not paid twice. Values of one key are given back in the order they came. */
  keepPaid(runId: string, key: string, value: string): Promise<void>;
  paidOf(runId: string): Promise<{ key: string; value: string }[]>;

  /** What was kept only while the run was under way. */
  forgetRun(runId: string): Promise<void>;

  /** Adds to what a scope has used up on a day (UTC, `2026-01-31`), and gives what that comes to. */
  spend(scope: string, day: string, amounts: Amounts): Promise<Amounts>;
  spent(scope: string, day: string): Promise<Amounts>;

  /** A note for everybody, kept for so long; null when there is none. */
  note(name: string): Promise<string | null>;
  putNote(name: string, value: string, seconds: number): Promise<void>;

  /** Answers when Redis does. */
  ping(): Promise<void>;
}

/** `REPOSITORY_ID/NUMBER`: ids outlive renames. */
export type IssueKey = `${number}/${number}`;

export interface Amounts {
  runs: number;
  tokens: number;
  gpuSeconds: number;
}
