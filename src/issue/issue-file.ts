import { z } from "zod";
import { IssueFault } from "../errors.ts";
import type { Issue } from "../types.ts";

const maxChars = 1024 * 1024;

const GitHubIssue = z.object({
  title: z.string(),
  body: z.string().nullish(),
  number: z.number().int().positive().nullish(),
  created_at: z.string().nullish(),
  html_url: z.string().nullish(),
  repository_url: z.string().nullish(),
});

/**
 * The issue in a file: JSON as GitHub's REST API gives it (`….json`), or Markdown, whose first line that is not empty
 * is the title. Bytes that are not UTF-8 are replaced.
 * @throws {IssueFault} no title, wrong JSON, or more than a million characters; the message says what to change.
 */
export function parseIssueFile(bytes: Uint8Array, filename: string): Issue {
  if (bytes.byteLength > maxChars * 4) throw tooLong(filename);
  const text = new TextDecoder("utf-8").decode(bytes);
  if (text.length > maxChars) throw tooLong(filename);
  return /\.json$/i.test(filename) ? fromJson(text, filename) : fromMarkdown(text, filename);
}

function fromMarkdown(text: string, filename: string): Issue {
  const lines = text.split(/\r\n?|\n/);
  const first = lines.findIndex((line) => line.trim() !== "");
  const title = (lines[first] ?? "")
    .trim()
    .replace(/^#{1,6}[ \t]+/, "")
    .trim();
  if (title === "") throw unreadable(filename, "it is empty: the first line is the title, the rest the body");
  const body = lines
    .slice(first + 1)
    .join("\n")
    .trim();
  return { repository: null, number: null, title, body, createdAt: null, url: null };
}

function fromJson(text: string, filename: string): Issue {
  const parsed = GitHubIssue.safeParse(parseJson(text, filename));
  if (!parsed.success) {
    const [problem] = parsed.error.issues;
    const field = problem?.path.join(".") || "an object with title and body";
    throw unreadable(filename, `${field}: ${problem?.message ?? "not as GitHub gives it"}`);
  }
  const { title, body, number, created_at, html_url, repository_url } = parsed.data;
  if (title.trim() === "") throw unreadable(filename, "title: it is empty");
  return {
    repository: repositoryOf(repository_url, html_url),
    number: number ?? null,
    title: title.trim(),
    body: body ?? "",
    createdAt: created_at ?? null,
    url: html_url ?? null,
  };
}

function parseJson(text: string, filename: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable(filename, `it is not JSON (${cause instanceof Error ? cause.message : "unknown"})`, cause);
  }
}

function repositoryOf(apiUrl: string | null | undefined, pageUrl: string | null | undefined): string | null {
  const api = /\/repos\/([\w.-]+\/[\w.-]+)\/?$/.exec(apiUrl ?? "")?.[1];
  return api ?? /^https?:\/\/[^/]+\/([\w.-]+\/[\w.-]+)\/issues\/\d+/.exec(pageUrl ?? "")?.[1] ?? null;
}

function tooLong(filename: string): IssueFault {
  return unreadable(filename, "it has more than 1,048,576 characters; GitHub allows 65,536");
}

function unreadable(filename: string, why: string, cause?: unknown): IssueFault {
  return new IssueFault(`cannot read the issue in ${filename}: ${why}`, { retryable: false, cause });
}
