import type { Permalink } from "../types.ts";
import { readStatements } from "./read-statements.ts";

/**
 * Do all the links lead to lines that only people read: comments and docstrings of Python files. False without a link
 * to lines, and when a file is not to be had (`readFile` answers null).
 */
export function pointsAtProse(permalinks: Permalink[], readFile: (path: string) => string | null): boolean {
  const placed = permalinks.filter(({ startLine }) => startLine !== null);
  if (placed.length === 0) return false;
  return placed.every(({ path, startLine, endLine }) => {
    const source = /\.pyi?$/.test(path) ? readFile(path) : null;
    if (source === null || startLine === null) return false;
    const code = codeLines(source);
    const last = Math.min(endLine ?? startLine, source.split("\n").length);
    for (let line = startLine; line <= last; line += 1) if (code.has(line)) return false;
    return startLine <= last;
  });
}

/** Lines of statements, those left out that are nothing but a string. */
function codeLines(source: string): Set<number> {
  const lines = new Set<number>();
  for (const { code, startLine, endLine } of readStatements(source)) {
    if (/^[a-z]{0,2}""$/i.test(code)) continue;
    for (let line = startLine; line <= endLine; line += 1) lines.add(line);
  }
  return lines;
}
