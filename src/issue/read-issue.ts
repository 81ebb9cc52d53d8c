import type { Issue, ReadIssue } from "../types.ts";
import { cleanText } from "./clean-text.ts";
import { readCodeBlocks } from "./read-code-blocks.ts";
import { readIdentifiers } from "./read-identifiers.ts";
import { readPaths } from "./read-paths.ts";
import { readPermalinks } from "./read-permalinks.ts";
import { readRunnableCode } from "./read-runnable-code.ts";
import { readSections } from "./read-sections.ts";
import { readSuggestedChanges } from "./read-suggested-changes.ts";
import { readTracebacks } from "./read-tracebacks.ts";
import { readVersions } from "./read-versions.ts";
import { readWorksIn, withoutWorksIn } from "./read-works-in.ts";
import { splitBody } from "./split-body.ts";

/** Reads all that a program can read in an issue. Never fails, whatever the text; takes time linear in its length. */
export function readIssue(issue: Issue): ReadIssue {
  const title = cleanText(issue.title);
  const text = cleanText(issue.body);
  const body = splitBody(text);
  const whole = `${title}\n\n${text}`;
  const projectName = issue.repository?.split("/")[1] ?? null;
  const sections = readSections(body);
  const permalinks = readPermalinks(whole);
  const inBody = readTracebacks(text);
  const tracebacks = inBody.length > 0 ? inBody : readTracebacks(title);
  return {
    sections,
    codeBlocks: readCodeBlocks(body),
    runnableCode: readRunnableCode(body),
    tracebacks,
    permalinks,
    paths: readPaths(whole, { permalinks, tracebacks }),
    identifiers: readIdentifiers(title, body, tracebacks),
    versions: readVersions({ text: withoutWorksIn(whole), sections, projectName }),
    suggestedChanges: readSuggestedChanges(body),
    worksIn: readWorksIn(whole, projectName),
  };
}
