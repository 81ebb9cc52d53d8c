import { readIssue } from "../../src/issue/read-issue.ts";
import type { Issue, ReadIssue } from "../../src/types.ts";

/** An issue of `acme/tinynet` with this body. */
export function anIssue(body: string, title = "Attention gives the wrong shape"): Issue {
  return { repository: "acme/tinynet", number: 7, title, body, createdAt: null, url: null };
}

export function read(body: string, title?: string): ReadIssue {
  return readIssue(anIssue(body, title));
}

/** Lines joined, so that fences can stand in a test without a template's escapes. */
export function lines(...each: string[]): string {
  return each.join("\n");
}
