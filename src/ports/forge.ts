import type { Issue } from "../types.ts";

/** Where issues come from. */
export interface Forge {
  /**
   * @throws {IssueFault} it does not exist, is a pull request, or access is refused; the message says what to do.
   */
  getIssue(repository: string, number: number, signal: AbortSignal): Promise<Issue>;
  /** URL to clone `owner/name` from. */
  cloneUrl(repository: string): string;
}
