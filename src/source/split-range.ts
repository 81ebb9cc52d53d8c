const MOST_LINES = 120;
const FEWEST_LINES = 40;

/**
 * Cuts a range of lines into parts of at most 120, where a statement starts: at the least nested place after the first
 * 40 lines, the last of several. Where no statement starts (a long literal) it is cut at 120.
 */
export function splitRange(
  { startLine, endLine }: { startLine: number; endLine: number },
  statements: readonly { line: number; depth: number }[],
): { startLine: number; endLine: number }[] {
  const parts: { startLine: number; endLine: number }[] = [];
  let start = startLine;
  while (endLine - start + 1 > MOST_LINES) {
    const latest = start + MOST_LINES;
    const places = statements.filter(({ line }) => line > start + FEWEST_LINES && line <= latest);
    const shallowest = Math.min(...places.map(({ depth }) => depth));
    const next = places.findLast(({ depth }) => depth === shallowest)?.line ?? latest;
    parts.push({ startLine: start, endLine: next - 1 });
    start = next;
  }
  return [...parts, { startLine: start, endLine }];
}
