import type { SuggestedChange } from "../types.ts";
import { classifyBlock } from "./classify-block.ts";
import { placePermalinks } from "./read-permalinks.ts";
import type { Body, PlacedBlock } from "./split-body.ts";

const maxChanges = 10;
const maxChars = 4_000;
const maxProseChars = 300;

/** Between a thing and what it should be. */
const becomes =
  /\b(?:should|must|needs? to|has to|ought to|could|can) (?:\w+ ){0,2}(?:be|become|read)\b|\b(?:chang|replac|modif|updat|correct|fix|convert|rewrit)\w*\b[^.!?]*\b(?:to|with|by|into|as)\b|(?:->|=>|→)\s*$/i;
const isBetter = /\b(?:instead of|rather than|in place of|(?:but|and)? not)\b/i;
const verbBefore = /\b(?:chang|replac|modif|updat|rewrit|convert)\w*\b[^.!?]{0,60}$/i;
const linkWord = /^\s*(?:\w+ ){0,2}(?:to|with|by|into|->|=>|→)\s*:?\s*$/i;
const span = /(`{1,2})([^`\n]{1,300})\1(?!`)/g;
const path = /[\w./-]*\w\.pyx?\b/g;

/**
 * Changes to the project that the reporter proposes, 10 at most: diff blocks, a suggestion below the code it replaces,
 * and "X should be Y", "change X to Y", "Y instead of X" with code spans or code blocks. The path is that of the
 * nearest link or file name above, else below.
 */
export function readSuggestedChanges(body: Body): SuggestedChange[] {
  const nearestPath = pathFinder(body);
  const found = [...fromBlocks(body, nearestPath), ...fromProse(body, nearestPath)];
  const seen = new Set<string>();
  const unique = found.filter((change) => {
    const key = JSON.stringify(change);
    return seen.has(key) ? false : seen.add(key);
  });
  return unique.slice(0, maxChanges);
}

type PathFinder = (line: number) => string | null;

function fromBlocks(body: Body, nearestPath: PathFinder): SuggestedChange[] {
  return body.blocks.slice(0, 200).flatMap((block, index) => {
    const kind = classifyBlock(block);
    if (kind === "diff") return fromDiff(block.text, nearestPath(block.firstLine));
    const before = body.blocks[index - 1];
    if (before === undefined || kind === "traceback" || kind === "shell") return [];
    const beforeKind = classifyBlock(before);
    if (beforeKind !== "python" && beforeKind !== "other") return [];
    const words = proseBetween(body, before, block);
    const changes = kind === "suggestion" || (words.length <= maxProseChars && becomes.test(words));
    return changes ? replacement(before.text, block.text, nearestPath(before.firstLine)) : [];
  });
}

function proseBetween(body: Body, before: PlacedBlock, after: PlacedBlock): string {
  return body.prose
    .slice(before.lastLine, after.firstLine - 1)
    .join("\n")
    .trim();
}

/** A diff without a head is a piece of code and its replacement. */
function fromDiff(text: string, nearest: string | null): SuggestedChange[] {
  if (text.length > maxChars * 4) return [];
  if (/^@@ -\d/m.test(text) && /^--- \S/m.test(text)) return [{ form: "diff", diff: text }];
  const lines = text.split("\n").filter((line) => !/^(?:diff |index |--- |\+\+\+ |@@)/.test(line));
  if (!lines.some((line) => /^[-+]/.test(line))) return [];
  const side = (mark: string): string =>
    lines
      .filter((line) => !/^[-+]/.test(line) || line.startsWith(mark))
      .map((line) => line.replace(/^[-+ ]/, ""))
      .join("\n");
  const named = /^(?:---|\+\+\+) (?:[ab]\/)?(\S+\.pyx?)\b/m.exec(text)?.[1];
  return replacement(side("-"), side("+"), named ?? nearest);
}

function replacement(search: string, replace: string, nearest: string | null): SuggestedChange[] {
  const from = trimBlankLines(search);
  const to = trimBlankLines(replace);
  if (from.trim().length < 2 || from === to || Math.max(from.length, to.length) > maxChars) return [];
  return [{ form: "replace", path: nearest, search: from, replace: to }];
}

function trimBlankLines(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

interface Span {
  text: string;
  start: number;
  end: number;
}

function fromProse(body: Body, nearestPath: PathFinder): SuggestedChange[] {
  const prose = body.prose.join("\n");
  const spans = [...prose.matchAll(span)].slice(0, 2_000).map((match): Span => {
    return { text: (match[2] ?? "").trim(), start: match.index, end: match.index + match[0].length };
  });
  const lineAt = lineCounter(prose);
  return spans.flatMap((first, index) => {
    const second = spans[index + 1];
    if (second === undefined || second.start - first.end > maxProseChars) return [];
    const line = lineAt(first.start);
    const between = prose.slice(first.end, second.start);
    const before =
      prose
        .slice(Math.max(0, first.start - 100), first.start)
        .split(/[.!?]\s|\n\n/)
        .at(-1) ?? "";
    if (isBetter.test(between)) return replacement(second.text, first.text, nearestPath(line));
    const changes = leadsOn(between) || (verbBefore.test(before) && linkWord.test(between));
    return changes ? replacement(first.text, second.text, nearestPath(line)) : [];
  });
}

/** Do words of change come last: what follows a later end of a sentence is something else. */
function leadsOn(between: string): boolean {
  const match = becomes.exec(between);
  return match !== null && !/[.!?]\s/.test(between.slice(match.index + match[0].length));
}

/** Line of an offset; offsets are asked for in rising order. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    for (; at < offset; at += 1) if (text[at] === "\n") line += 1;
    return line;
  };
}

function pathFinder(body: Body): PathFinder {
  const linked = placePermalinks(body.lines.join("\n")).map((each) => ({ path: each.path, line: each.onLine }));
  const written = body.prose.slice(0, 20_000).flatMap((text, index) => {
    const found =
      text
        .slice(0, 2_000)
        .replace(/https?:\/\/\S+/g, " ")
        .match(path) ?? [];
    return found.map((each) => ({ path: each.replace(/^(?:\.{0,2}\/)+/, ""), line: index + 1 }));
  });
  const places = [...written, ...linked].slice(0, 500).sort((a, b) => a.line - b.line);
  return (line) => (places.findLast((place) => place.line <= line) ?? places[0])?.path ?? null;
}
