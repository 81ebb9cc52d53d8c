import type { ReadIssue } from "../types.ts";
import type { Body } from "./split-body.ts";

/** A heading and the line it stands on. */
export interface Heading {
  text: string;
  line: number;
}

const hashHeading = /^ {0,3}#{1,6}[ \t]+(\S.*)$/;
const boldHeading = /^ {0,3}(\*\*|__)([^*_`]{2,70})\1[ \t]*:?[ \t]*$/;
const sentenceEnd = /[.!,;]\s*$/;
const unanswered = /^_no response_$/i;

/** Markdown headings, and lines that are nothing but a short phrase in bold. */
export function findHeadings(body: Body): Heading[] {
  return body.prose.flatMap((line, index) => {
    const text = headingText(line);
    return text === null ? [] : [{ text, line: index + 1 }];
  });
}

/** The body by headings; a field of an issue form that was left empty has the text "". */
export function readSections(body: Body): ReadIssue["sections"] {
  const headings = findHeadings(body);
  const starts = [{ text: "", line: 0 }, ...headings];
  return starts
    .map(({ text, line }, index) => ({
      heading: text,
      text: sectionText(body.lines.slice(line, (starts[index + 1]?.line ?? body.lines.length + 1) - 1)),
    }))
    .filter(({ heading, text }) => heading !== "" || text !== "");
}

function headingText(line: string): string | null {
  const hash = hashHeading.exec(line)?.[1];
  if (hash !== undefined) return plain(hash.replace(/[ \t]#+[ \t]*$/, ""));
  const bold = boldHeading.exec(line)?.[2]?.trim();
  return bold === undefined || bold === "" || sentenceEnd.test(bold) ? null : plain(bold);
}

function plain(text: string): string {
  return text.trim().replaceAll("**", "").replace(/:$/, "").trim();
}

function sectionText(lines: string[]): string {
  const text = lines.join("\n").trim();
  return unanswered.test(text) ? "" : text;
}
