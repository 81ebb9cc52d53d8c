import type { Issue } from "../types.ts";

/** Where issues come from. */
export interface Forge {
  /** Reads the URL of an issue of this forge; null for any other. */
  parseIssueUrl(url: string): { repository: string; number: number } | null;
  /**
   * @throws {IssueFault} it does not exist, is a pull request, or access is refused; the message says what to do.
   */
  getIssue(repository: string, number: number, signal: AbortSignal): Promise<Issue>;
  /** URL to clone `owner/name` from. */
  cloneUrl(repository: string): string;
}
