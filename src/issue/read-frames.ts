import type { Frame } from "../types.ts";

/** Who printed a traceback: Python, IPython, or rich in its box. */
export type TracebackForm = "python" | "notebook" | "rich";

/** Lines below a frame's head among which its own line is marked. */
const maxLinesBelow = 30;

const python = /^\s*File "([^"]+)", line (\d+)(?:, in (.+))?$/;
const notebook =
  /^(?:File |Cell |Input )?(?:(In ?\[\d+\])|(<ipython-input[^>]*>|(?:[A-Za-z]:)?[^\s<>:]+\.py|~?\/[^\s:]+))(?::(\d+))?(?:, line (\d+)|[ ,]+in [\w.<>]+|(?=$))/;
const rich = /^\s*((?:[~/<]|[A-Za-z]:[\\/])[^\s:]*):(\d+) in (\S+)$/;
const arrow = /^\s*(?:-+>|❱)\s?(\d+)(?:\s(.*))?$/;

export function isPythonFrame(line: string): boolean {
  return python.test(line);
}

/** The frame whose head stands at `index`, or null for another line. */
export function readFrame(lines: string[], index: number, form: TracebackForm): Frame | null {
  if (form === "notebook") return readPythonFrame(lines, index) ?? readNotebookFrame(lines, index);
  return form === "rich" ? readRichFrame(lines, index) : readPythonFrame(lines, index);
}

function readPythonFrame(lines: string[], index: number): Frame | null {
  const [, file, number, name] = python.exec(lines[index] ?? "") ?? [];
  if (file === undefined || number === undefined) return null;
  const next = lines[index + 1] ?? "";
  const code = /^\s+\S/.test(next) && !python.test(next) ? next.trim() : null;
  return { file, line: Number(number), function: name?.trim() ?? "<module>", code };
}

/** `File x.py:12, in f(a)`, `Cell In[3], line 4` or `x.py in f(a)`, with its line at an arrow. */
function readNotebookFrame(lines: string[], index: number): Frame | null {
  const line = lines[index] ?? "";
  const match = notebook.exec(line);
  if (match === null) return null;
  const pointed = readPointed(lines, index, notebook);
  const file = match[1] ?? match[2];
  const number = match[3] ?? match[4] ?? pointed?.line;
  if (file === undefined || number === undefined) return null;
  const name = /\bin ([\w.]+)/.exec(line)?.[1] ?? "<module>";
  return { file, line: Number(number), function: name, code: pointed?.code ?? null };
}

/** `/x/a.py:12 in f`, which the box may break into two lines. */
function readRichFrame(lines: string[], index: number): Frame | null {
  const line = lines[index] ?? "";
  const startsPath = /^\s*(?:[~/]|[A-Za-z]:[\\/])\S*$/.test(line);
  const match = rich.exec(line) ?? (startsPath ? rich.exec(line + (lines[index + 1] ?? "").trim()) : null);
  const [, file, number, name] = match ?? [];
  if (file === undefined || number === undefined || name === undefined) return null;
  return { file, line: Number(number), function: name, code: readPointed(lines, index, rich)?.code ?? null };
}

function readPointed(lines: string[], index: number, head: RegExp): { line: string; code: string } | null {
  for (const [offset, line] of lines.slice(index + 1, index + maxLinesBelow).entries()) {
    const [, number, code = ""] = arrow.exec(line) ?? [];
    if (number !== undefined) return { line: number, code: code.replace(/^[\s│]+/, "").trim() };
    if (offset > 0 && head.test(line)) return null;
  }
  return null;
}
