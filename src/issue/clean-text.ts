import { closesFence, type Fence, openedFence, reopensFence, withoutPrefix } from "./fences.ts";

/** Zero-width, bidirectional, tag and other characters that show nothing. */
const invisible =
  /[\u00AD\u061C\u115F\u1160\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must go
const ansi = /\u001B(?:\[[0-9;?]*[A-Za-z]|\][^\u0007\u001B\n]*\u0007?)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must go
const control = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

const tag = /<[a-z][^<>]*>/gi;
const hiddenAttribute = /\s(?:alt|title|aria-label)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)/gi;
const imageAlt = /!\[[^[\]\n]*\]\(/g;
const linkTitle = /\]\(([^()\s]*)[ \t]+(?:"[^"\n]*"|'[^'\n]*')\)/g;
const linkDefinition = /^ {0,3}\[[^[\]^][^[\]]*\]:[ \t]*(\S+)(?:[ \t].*)?$/;

/**
 * Text as a reader of the page sees it: well-formed, with `\n` line ends, without HTML comments, invisible characters,
 * terminal colours, and text that hides in attributes, image descriptions and link titles. Code in fences keeps its
 * `<!-- -->`, which is visible there. The number of lines stays.
 */
export function cleanText(text: string): string {
  const visible = text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(ansi, "")
    .replace(control, "")
    .replace(invisible, "");
  return cleanLines(visible.split("\n")).join("\n");
}

function cleanLines(lines: string[]): string[] {
  const lastClose = lines.findLastIndex((line) => line.includes("-->"));
  const cleaned: string[] = [];
  let fence: Fence | null = null;
  let inComment = false;
  for (const [index, line] of lines.entries()) {
    const inside: string | null = fence === null ? null : withoutPrefix(line, fence);
    if (fence !== null && inside !== null) {
      fence = closesFence(inside, fence) ? null : (reopensFence(inside, fence) ?? fence);
      cleaned.push(line);
      continue;
    }
    fence = inComment ? null : openedFence(line);
    if (fence !== null) {
      cleaned.push(line);
      continue;
    }
    const cut = cutComments(line, { inComment, closesLater: index < lastClose });
    inComment = cut.inComment;
    cleaned.push(withoutHiddenText(cut.text));
  }
  return cleaned;
}

/** A comment that starts a line and is never closed hides the rest of the page; one within a line is then plain text. */
function cutComments(
  line: string,
  state: { inComment: boolean; closesLater: boolean },
): { text: string; inComment: boolean } {
  let text = "";
  let at = 0;
  let inComment = state.inComment;
  for (;;) {
    if (inComment) {
      const end = line.indexOf("-->", at);
      if (end < 0) return { text, inComment };
      at = end + 3;
      inComment = false;
    }
    const start = line.indexOf("<!--", at);
    if (start < 0) return { text: text + line.slice(at), inComment };
    const startsLine = line.slice(0, start).trim() === "";
    if (line.indexOf("-->", start + 4) < 0 && !startsLine && !state.closesLater) {
      return { text: text + line.slice(at), inComment };
    }
    text += line.slice(at, start);
    at = start + 4;
    inComment = true;
  }
}

function withoutHiddenText(line: string): string {
  const target = linkDefinition.exec(line)?.[1];
  if (target !== undefined) return /^https?:/.test(target) ? target : "";
  return line
    .replace(tag, (found) => found.replace(hiddenAttribute, ""))
    .replace(imageAlt, "![](")
    .replace(linkTitle, "]($1)");
}
