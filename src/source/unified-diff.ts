type Line = { op: " " | "-" | "+"; text: string };

const CONTEXT_LINES = 3;
/** Above this many pairs of lines, everything between the first and the last difference counts as changed. */
const MOST_PAIRS = 16_000_000;

/** The unified diff of two versions of a file, in git's form; empty for none. A null text is a file that is not there. */
export function unifiedDiff(path: string, before: string | null, after: string | null): string {
  const lines = compare(toLines(before), toLines(after));
  const changed = lines.flatMap(({ op }, index) => (op === " " ? [] : [index]));
  if (changed.length === 0) return "";
  const header = [
    `--- ${before === null ? "/dev/null" : `a/${path}`}`,
    `+++ ${after === null ? "/dev/null" : `b/${path}`}`,
  ];
  return `${[...header, ...group(changed, lines.length).flatMap((range) => formatHunk(lines, range))].join("\n")}\n`;
}

function toLines(text: string | null): string[] {
  return text === null || text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function compare(before: string[], after: string[]): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (text: string): Line => ({ op: " ", text });
  return [
    ...before.slice(0, head).map(same),
    ...compareMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

/** By the longest common subsequence. */
function compareMiddle(before: string[], after: string[]): Line[] {
  const width = after.length + 1;
  const exact = before.length * after.length <= MOST_PAIRS;
  const common = new Uint32Array(exact ? (before.length + 1) * width : 0);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  if (exact) {
    for (let i = before.length - 1; i >= 0; i--) {
      for (let j = after.length - 1; j >= 0; j--) {
        common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      }
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const old = before[i];
    const made = after[j];
    if (exact && old !== undefined && old === made) {
      lines.push({ op: " ", text: old });
      i++;
      j++;
    } else if (old !== undefined && (made === undefined || !exact || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ op: "-", text: old });
      i++;
    } else {
      lines.push({ op: "+", text: made ?? "" });
      j++;
    }
  }
  return lines;
}

/** Ranges of lines with their context; ranges that touch become one. */
function group(changed: readonly number[], count: number): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  for (const index of changed) {
    const start = Math.max(0, index - CONTEXT_LINES);
    const end = Math.min(count, index + CONTEXT_LINES + 1);
    const last = ranges.at(-1);
    if (last !== undefined && start <= last.end) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

function formatHunk(lines: readonly Line[], { start, end }: { start: number; end: number }): string[] {
  const count = (part: readonly Line[], other: "-" | "+") => part.filter(({ op }) => op !== other).length;
  const earlier = lines.slice(0, start);
  const part = lines.slice(start, end);
  const side = (other: "-" | "+") => {
    const size = count(part, other);
    return `${count(earlier, other) + (size === 0 ? 0 : 1)},${size}`;
  };
  return [`@@ -${side("+")} +${side("-")} @@`, ...part.map(({ op, text }) => op + text)];
}
