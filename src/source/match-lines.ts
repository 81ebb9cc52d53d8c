import type { Hunk } from "./diff.ts";

/** Ways to compare a line of a report with a line of a file, strictest first. */
const COMPARISONS: ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => line.replace(/\s+/g, ""),
];

export type Match = { at: number; hunk: Hunk } | "not-found" | "ambiguous";

/**
 * Finds the place of a hunk's old lines in a file: exactly, then with less and less regard to white space, then with
 * up to two lines of context dropped at either end. `at` is a 0-based index into `lines`; `hunk` is what is left to
 * apply there. Among several places the one nearest to the line that the hunk names is taken; without one it is
 * ambiguous.
 */
export function matchHunk(lines: readonly string[], hunk: Hunk): Match {
  for (let dropped = 0; dropped <= 2; dropped++) {
    const reduced = dropContext(hunk, dropped);
    if (reduced === null) break;
    const old = reduced.lines.filter(({ op }) => op !== "+").map(({ text }) => text);
    if (old.every((line) => line.trim() === "")) break;
    for (const normalise of COMPARISONS) {
      const places = findAll(lines.map(normalise), old.map(normalise));
      const at = choose(places, reduced.startLine);
      if (at !== null) return { at, hunk: reduced };
      if (places.length > 0) return "ambiguous";
    }
  }
  return "not-found";
}

/**
 * The lines with the hunk applied at `at`: unchanged lines stay as the file has them, added ones get the file's
 * indentation where the report's differs.
 */
export function applyHunk(lines: readonly string[], at: number, hunk: Hunk): string[] {
  const old = hunk.lines.filter(({ op }) => op !== "+");
  const shift = indentShift(
    old.map(({ text }) => text),
    lines.slice(at, at + old.length),
  );
  let index = at;
  const made = hunk.lines.flatMap(({ op, text }) => {
    if (op === "+") return [shift(text)];
    const kept = lines[index++];
    return op === "-" || kept === undefined ? [] : [kept];
  });
  return [...lines.slice(0, at), ...made, ...lines.slice(index)];
}

function findAll(lines: readonly string[], wanted: readonly string[]): number[] {
  const places: number[] = [];
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    if (wanted.every((line, offset) => lines[at + offset] === line)) places.push(at);
  }
  return places;
}

function choose(places: readonly number[], startLine: number | null): number | null {
  const [only] = places;
  if (places.length <= 1 || startLine === null) return places.length === 1 && only !== undefined ? only : null;
  const away = (at: number) => Math.abs(at + 1 - startLine);
  return places.toSorted((a, b) => away(a) - away(b) || a - b)[0] ?? null;
}

/** Null when there is not so much context to drop. */
function dropContext(hunk: Hunk, count: number): Hunk | null {
  if (count === 0) return hunk;
  const before = Math.min(
    count,
    hunk.lines.findIndex(({ op }) => op !== " "),
  );
  const trailing = hunk.lines.length - 1 - hunk.lines.findLastIndex(({ op }) => op !== " ");
  const after = Math.min(count, trailing);
  if (Math.max(before, after) < count) return null;
  const startLine = hunk.startLine === null ? null : hunk.startLine + before;
  return { startLine, lines: hunk.lines.slice(before, hunk.lines.length - after) };
}

/** Turns the report's indentation into the file's, by the first line that both have. */
function indentShift(reported: readonly string[], found: readonly string[]): (line: string) => string {
  const first = reported.findIndex((line) => line.trim() !== "");
  const from = indentOf(reported[first] ?? "");
  const to = indentOf(found[first] ?? "");
  if (from === to) return (line) => line;
  return (line) => {
    if (line.trim() === "") return line;
    if (line.startsWith(from)) return to + line.slice(from.length);
    const own = indentOf(line);
    return to.slice(0, Math.max(0, to.length - (from.length - own.length))) + line.slice(own.length);
  };
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
