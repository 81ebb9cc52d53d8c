/** Clocks differ, and a limit that has just ended may not have for GitHub. */
const leastWaitMs = 1_000;
/** A limit without a word of its end is taken to last so long. */
const unknownLimitMs = 60_000;

/** What went wrong with a request to GitHub. */
export interface Failure {
  /** HTTP status; null without an answer. */
  status: number | null;
  /** May the same request succeed later. */
  passes: boolean;
  /** What the server asks to wait; null when it does not say. */
  waitMs: number | null;
  /** When a used-up limit starts anew. */
  limitedUntil: Date | null;
  message: string;
}

/** Reads what Octokit threw. */
export function readFailure(error: unknown, timedOut = false): Failure {
  const status = isRecord(error) && typeof error.status === "number" ? error.status : null;
  const response = isRecord(error) && isRecord(error.response) ? error.response : null;
  const headers = response !== null && isRecord(response.headers) ? response.headers : {};
  const message = timedOut ? "no answer in time" : error instanceof Error ? error.message : String(error);
  if (response === null || status === null) {
    return { status: null, passes: true, waitMs: null, limitedUntil: null, message };
  }
  const retryAfter = toSeconds(headers["retry-after"]);
  const reset = headers["x-ratelimit-remaining"] === "0" ? toSeconds(headers["x-ratelimit-reset"]) : null;
  const isLimit =
    status === 429 || (status === 403 && (retryAfter !== null || reset !== null || /rate limit/i.test(message)));
  const until = retryAfter !== null ? Date.now() + retryAfter * 1_000 : reset !== null ? reset * 1_000 : null;
  return {
    status,
    passes: status >= 500 || isLimit,
    waitMs: isLimit && until !== null ? Math.max(leastWaitMs, until - Date.now()) : null,
    limitedUntil: isLimit ? new Date(until ?? Date.now() + unknownLimitMs) : null,
    message,
  };
}

function toSeconds(header: unknown): number | null {
  const seconds = typeof header === "string" || typeof header === "number" ? Number(header) : Number.NaN;
  return Number.isFinite(seconds) ? seconds : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
