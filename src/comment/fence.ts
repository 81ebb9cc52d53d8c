import { cleanText } from "../issue/clean-text.ts";
import { closesFence, type Fence, openedFence } from "../issue/fences.ts";

/** A code block that nothing in `text` can close. A language that is not a plain word is left out. */
export function fenceCode(text: string, language: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  const name = /^[A-Za-z0-9_+#-]{1,20}$/.test(language) ? language : "";
  return `${fence}${name}\n${text.replace(/\r\n?/g, "\n").replace(/\n$/, "")}\n${fence}`;
}

/** A code span, on one line, that nothing in `text` can close. Without text it is empty. */
export function inlineCode(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "") return "";
  const mark = "`".repeat(longestRun(line) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${mark}${pad}${line}${pad}${mark}`;
}

const image = /!\[([^[\]\n]*)\]\([^()\n]*\)/g;
const link = /\[([^[\]\n]*)\]\([^()\n]*\)/g;
const address = /\b(?:https?|ftp|mailto|javascript|data):\/{0,2}[^\s<>"'`)\]]+|\bwww\.[^\s<>"'`)\]]+/gi;
const tag = /<[/!?a-z][^<>]*>/gi;
const closing =
  /\b(?:clos(?:e|es|ed)|fix(?:es|ed)?|resolv(?:e|es|ed))\b[ \t]*:?[ \t]+(?=(?:[\w.-]{1,100}\/[\w.-]{1,100})?(?:#+|gh-)\d)/gi;
const reference = /(?:(?<![\w./-])[\w.-]{1,100}\/[\w.-]{1,100})?(?<!#)#+(?=\d)|\bgh-(?=\d)/gi;
const mention = /(?<!@)@+(?=[a-z\d_-])/gi;
const special = /[\\`*_{}[\]<>#|~$&]/g;

/**
 * Words that someone else wrote, as prose of a comment: no mention, reference, closing keyword, link, image or HTML
 * survives, and no character means anything to Markdown. Lines stay lines, none of them a heading, quote, list or code.
 */
export function plainText(text: string): string {
  return cleanText(text)
    .replace(image, "$1")
    .replace(link, "$1")
    .replace(tag, "")
    .replace(address, "(link left out)")
    .replace(closing, "")
    .replace(reference, "no. ")
    .replace(mention, "")
    .replace(special, "\\$&")
    .replace(/^[ \t]+/gm, "")
    .replace(/^(\d+)(?=[.)])/gm, "$1\\")
    .replace(/^[-+=]/gm, "\\$&")
    .trim();
}

const notice = "\n\n_The rest is left out: it does not fit into one comment._\n";

/**
 * At most `maxChars` of a comment. What is cut ends with a whole line, its code block and `<details>` are closed, and
 * a last line says that something is left out. A first line that is too long by itself is cut within.
 */
export function capComment(markdown: string, maxChars: number): string {
  if (markdown.length <= maxChars) return markdown;
  let kept = "";
  let ending = notice;
  let length = 0;
  const open: OpenParts = { fence: null, details: 0 };
  for (const line of markdown.split("\n")) {
    length += line.length + 1;
    if (length + notice.length > maxChars) break;
    follow(open, line);
    const closingParts = closeParts(open) + notice;
    if (length + closingParts.length > maxChars) continue;
    kept = markdown.slice(0, length - 1);
    ending = closingParts;
  }
  if (kept !== "") return kept + ending;
  return markdown.slice(0, Math.max(0, maxChars - notice.length)).toWellFormed() + notice.slice(0, maxChars);
}

interface OpenParts {
  fence: Fence | null;
  details: number;
}

function follow(open: OpenParts, line: string): void {
  if (open.fence !== null) {
    if (closesFence(line, open.fence)) open.fence = null;
    return;
  }
  open.fence = openedFence(line);
  if (open.fence !== null) return;
  const opened = line.match(/<details\b/gi)?.length ?? 0;
  const closed = line.match(/<\/details>/gi)?.length ?? 0;
  open.details = Math.max(0, open.details + opened - closed);
}

function closeParts(open: OpenParts): string {
  const fence = open.fence === null ? "" : `\n${open.fence.marker}`;
  return fence + (open.details === 0 ? "" : `\n${"\n</details>".repeat(open.details)}`);
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
