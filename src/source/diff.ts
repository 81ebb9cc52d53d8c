/** One change to consecutive lines. */
export interface Hunk {
  /** Where the lines are said to start, 1-based; null when nothing is said. */
  startLine: number | null;
  lines: { op: " " | "-" | "+"; text: string }[];
}

/** The changes to one file. */
export interface FileChange {
  /** As printed, without `a/` and `b/`; null when the diff does not say or it is `/dev/null`. */
  oldPath: string | null;
  newPath: string | null;
  /** The diff says that the file is new, or that it goes away. */
  creates: boolean;
  deletes: boolean;
  hunks: Hunk[];
}

/**
 * Reads a unified diff as people paste it: with or without file headers, hunk headers, line numbers, or the space in
 * front of unchanged lines. What is not part of a change is passed over.
 */
export function parseDiff(diff: string): FileChange[] {
  const files: FileChange[] = [];
  let file: FileChange | null = null;
  let hunk: Hunk | null = null;
  const lines = diff.replace(/\r\n/g, "\n").replace(/\n+$/, "").split("\n");
  for (const [index, line] of lines.entries()) {
    if (isNoise(line)) continue;
    const from = /^--- (\S.*)$/.exec(line)?.[1];
    if (from !== undefined && /^\+\+\+ /.test(lines[index + 1] ?? "")) {
      file = startFile(from, (lines[index + 1] ?? "").slice(4));
      files.push(file);
      hunk = null;
      continue;
    }
    if (/^\+\+\+ /.test(line) && /^--- /.test(lines[index - 1] ?? "")) continue;
    if (file === null) {
      file = { oldPath: null, newPath: null, creates: false, deletes: false, hunks: [] };
      files.push(file);
    }
    const header = /^@@(?:\s+-(\d+)(?:,\d+)?\s+\+\d+(?:,\d+)?\s+@@)?/.exec(line);
    if (header !== null || hunk === null) {
      hunk = { startLine: header?.[1] === undefined ? null : Number(header[1]), lines: [] };
      file.hunks.push(hunk);
    }
    if (header === null) hunk.lines.push(toLine(line));
  }
  return files
    .map((found) => ({ ...found, hunks: found.hunks.filter(changes).map(trimBlankContext) }))
    .filter(({ hunks }) => hunks.length > 0);
}

function isNoise(line: string): boolean {
  return /^(diff --git |index [0-9a-f]+\.\.|new file mode |deleted file mode |similarity index |rename |old mode |new mode |\\ No newline)/.test(
    line,
  );
}

function startFile(from: string, to: string): FileChange {
  const clean = (path: string) => {
    const text = path
      .replace(/\t.*$/, "")
      .trim()
      .replace(/^"(.*)"$/, "$1");
    return text === "/dev/null" ? null : text.replace(/^[ab]\//, "");
  };
  const oldPath = clean(from);
  const newPath = clean(to);
  return { oldPath, newPath, creates: oldPath === null, deletes: newPath === null, hunks: [] };
}

function toLine(line: string): Hunk["lines"][number] {
  const op = line[0];
  if (op === "+" || op === "-" || op === " ") return { op, text: line.slice(1) };
  return { op: " ", text: line };
}

function changes({ lines }: Hunk): boolean {
  return lines.some(({ op }) => op !== " ");
}

/** Blank lines at either end say nothing about the place, and pasting often adds some. */
function trimBlankContext(hunk: Hunk): Hunk {
  const telling = ({ op, text }: Hunk["lines"][number]) => op !== " " || text.trim() !== "";
  const first = hunk.lines.findIndex(telling);
  const last = hunk.lines.findLastIndex(telling);
  const startLine = hunk.startLine === null ? null : hunk.startLine + first;
  return { startLine, lines: hunk.lines.slice(first, last + 1) };
}
