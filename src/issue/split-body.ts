import type { CodeBlock } from "../types.ts";
import { closesFence, type Fence, openedFence, reopensFence, withoutPrefix } from "./fences.ts";

/** A code block with the lines that it takes in the body, fences included. */
export interface PlacedBlock extends CodeBlock {
  firstLine: number;
  lastLine: number;
}

/** A cleaned body, taken apart. Index `n` of `lines` and `prose` is line `n + 1`. */
export interface Body {
  lines: string[];
  /** The lines outside of code; a line of code is empty here. */
  prose: string[];
  blocks: PlacedBlock[];
}

/** Splits a cleaned body into prose and code blocks: fenced ones, closed or not, and ones indented by four columns. */
export function splitBody(text: string): Body {
  const lines = text.split("\n");
  const fenced = takeFenced(lines);
  const indented = takeIndented(fenced.prose);
  const blocks = [...fenced.blocks, ...indented.blocks].sort((a, b) => a.firstLine - b.firstLine);
  return { lines, prose: indented.prose, blocks };
}

type Taken = Pick<Body, "prose" | "blocks">;

function takeFenced(lines: string[]): Taken {
  const prose: string[] = [];
  const blocks: PlacedBlock[] = [];
  let open: { fence: Fence; firstLine: number; code: string[] } | null = null;
  const close = (lastLine: number): void => {
    if (open === null) return;
    const { fence, firstLine, code } = open;
    blocks.push({ language: fence.language, text: code.join("\n"), startLine: firstLine + 1, firstLine, lastLine });
    open = null;
  };
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    const inside: string | null = open === null ? null : withoutPrefix(line, open.fence);
    if (open !== null && inside === null) close(number - 1);
    const next: Fence | null = open === null ? openedFence(line) : reopensFence(inside ?? "", open.fence);
    prose.push(open === null && next === null ? line : "");
    if (next !== null) {
      close(number - 1);
      open = { fence: next, firstLine: number, code: [] };
    } else if (open !== null && closesFence(inside ?? "", open.fence)) {
      close(number);
    } else {
      open?.code.push(withoutIndent(inside ?? "", open.fence.indent));
    }
  }
  close(lines.length);
  return { prose, blocks };
}

function takeIndented(lines: string[]): Taken {
  const prose = [...lines];
  const blocks: PlacedBlock[] = [];
  let listColumn = 0;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    if (line.trim() === "") continue;
    const item = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+/.exec(line);
    const indent = indentOf(line);
    const afterBlank = index === 0 || lines[index - 1]?.trim() === "";
    if (afterBlank && indent >= listColumn + 4) {
      const end = endOfIndented(lines, index, listColumn + 4);
      const code = lines.slice(index, end).map((each) => withoutIndent(each, listColumn + 4));
      blocks.push({ language: "", text: code.join("\n"), startLine: index + 1, firstLine: index + 1, lastLine: end });
      prose.fill("", index, end);
      index = end - 1;
    } else if (item !== null) listColumn = item[0].length;
    else if (indent < listColumn) listColumn = 0;
  }
  return { prose, blocks };
}

/** Index after the last line that is indented so far; blank lines between belong to it. */
function endOfIndented(lines: string[], start: number, columns: number): number {
  let end = start + 1;
  for (let index = end; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    if (line.trim() === "") continue;
    if (indentOf(line) < columns) break;
    end = index + 1;
  }
  return end;
}

function indentOf(line: string): number {
  let columns = 0;
  for (const char of line) {
    if (char === "\t") columns += 4 - (columns % 4);
    else if (char === " ") columns += 1;
    else break;
  }
  return columns;
}

/** Takes off at most so many columns of white space. */
function withoutIndent(line: string, columns: number): string {
  let taken = 0;
  let at = 0;
  while (taken < columns && (line[at] === " " || line[at] === "\t")) {
    taken += line[at] === "\t" ? 4 : 1;
    at += 1;
  }
  return line.slice(at);
}
