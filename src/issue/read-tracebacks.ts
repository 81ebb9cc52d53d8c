import type { Frame, ReportedTraceback } from "../types.ts";
import { isPythonFrame, readFrame, type TracebackForm } from "./read-frames.ts";
import { readLoneError } from "./read-lone-error.ts";

const maxTracebacks = 20;
const maxFrames = 200;
const maxMessageLines = 20;
const maxLineChars = 2_000;

/** `[rank2]:`, `(worker pid=12)`, a quote's `>`, a box's edge: what may stand before every line. */
const linePrefix = /^(?:>[ \t]?|\[?rank ?\d+\]?:[ \t]?|\([\w-]+ pid=\d+(?:, [^)]*)?\)[ \t]?|\d+: |[ \t]*[|│] ?)/i;
const boxEnd = /[ \t]*│$/;
const ansiWithoutEscape = /\[\d{1,3}(?:;\d{1,3})*m/g;

const header = /Traceback \(most recent call last\)/;
const notebookHeader = /^\s*([A-Za-z_][\w.]*)\s{2,}Traceback \(most recent call last\)/;
const errorLine = /^(?:E\s{1,7})?([A-Za-z_][\w.]*)(?::(?:\s(.*))?)?$/;
const errorType = /(?:Error|Exception|Warning|Interrupt|Exit|Failed|Failure|Unsupported|Iteration|Fault|[a-z]Err)$/;
const chained = /^(?:During handling of the above exception|The above exception was the direct cause)/;

/** A traceback of which the last line is still to come. */
interface Open {
  form: TracebackForm;
  /** Known in advance from IPython's head. */
  type: string | null;
  frames: Frame[];
}

/**
 * The tracebacks in a cleaned text, in order: Python's, IPython's and rich's, with or without their head, and errors
 * that stand on a line of their own or in a sentence, which have no frames. One that names no exception is left out.
 */
export function readTracebacks(text: string): ReportedTraceback[] {
  const lines = text.split("\n").map(stripLine);
  const found: ReportedTraceback[] = [];
  let open: Open | null = null;
  for (let index = 0; index < lines.length && found.length < maxTracebacks; index += 1) {
    const line = lines[index] ?? "";
    const started = startOf(line, open);
    if (started !== null) {
      found.push(...withoutEnd(open));
      open = started;
    }
    if (open === null) {
      const lone = readLoneError(line);
      if (lone !== null) found.push(lone);
      continue;
    }
    const step = readWithin(lines, index, open);
    if (step.frame !== null && open.frames.length < maxFrames) open.frames.push(step.frame);
    if (step.error !== null) found.push({ ...step.error, frames: open.frames });
    if (step.ends) open = null;
    index += step.extraLines;
  }
  return withoutRepetitions([...found, ...withoutEnd(open)]);
}

/** IPython names the exception in its head too: enough when the end was cut off. */
function withoutEnd(open: Open | null): ReportedTraceback[] {
  if (open === null || open.type === null || open.frames.length === 0) return [];
  return [{ type: open.type, message: "", frames: open.frames }];
}

function stripLine(line: string): string {
  const short = line.slice(0, maxLineChars).replace(ansiWithoutEscape, "").replace(boxEnd, "").trimEnd();
  return short.replace(linePrefix, "").replace(linePrefix, "");
}

/** A header starts a traceback, and so does a frame whose header was cut off. */
function startOf(line: string, open: Open | null): Open | null {
  const notebookType = notebookHeader.exec(line)?.[1];
  if (notebookType !== undefined) return { form: "notebook", type: notebookType, frames: [] };
  if (header.test(line)) return { form: /[╭─┌]/.test(line) ? "rich" : "python", type: null, frames: [] };
  return open === null && isPythonFrame(line) ? { form: "python", type: null, frames: [] } : null;
}

interface Step {
  frame: Frame | null;
  error: Pick<ReportedTraceback, "type" | "message"> | null;
  ends: boolean;
  /** Lines read beyond the one asked for. */
  extraLines: number;
}

const nothing: Step = { frame: null, error: null, ends: false, extraLines: 0 };
const end: Step = { ...nothing, ends: true };

function readWithin(lines: string[], index: number, open: Open): Step {
  const line = lines[index] ?? "";
  if (line.trim() === "" || header.test(line)) return nothing;
  const frame = readFrame(lines, index, open.form);
  if (frame !== null) return { ...nothing, frame };
  if (chained.test(line)) return end;
  const [, type, message = ""] = errorLine.exec(line) ?? [];
  if (type === undefined || !endsTraceback({ type, message }, lines[index - 1] ?? "", open)) {
    return open.form !== "python" || /^\s|^[~^.+]/.test(line) ? nothing : end;
  }
  const rest = messageLines(lines, index + 1);
  return {
    frame: null,
    error: { type, message: [message, ...rest].join("\n").trim() },
    ends: true,
    extraLines: rest.length,
  };
}

/** A class name without a telling end counts where a message follows and it stands right below something else. */
function endsTraceback({ type, message }: { type: string; message: string }, above: string, open: Open): boolean {
  if (open.type !== null) return type === open.type;
  if (errorType.test(type)) return true;
  if (open.frames.length === 0 || message === "" || above.trim() === "") return false;
  return type.includes(".") || /^[A-Z]/.test(type);
}

/** Lines after the error's own that belong to its message. */
function messageLines(lines: string[], start: number): string[] {
  const rest: string[] = [];
  for (const line of lines.slice(start, start + maxMessageLines)) {
    if (line.trim() === "" || /^\s*(?:`{3,}|~{3,}|<\/|\+-{5,})/.test(line)) break;
    if (header.test(line) || chained.test(line) || isPythonFrame(line)) break;
    rest.push(line);
  }
  return rest;
}

/** A line that only repeats an error read elsewhere adds nothing. */
function withoutRepetitions(found: ReportedTraceback[]): ReportedTraceback[] {
  return found.filter((each, index) => {
    const isElsewhere = (other: ReportedTraceback, at: number): boolean =>
      at !== index && (at < index || other.frames.length > 0) && tellSame(other, each);
    return each.frames.length > 0 || !found.some(isElsewhere);
  });
}

function tellSame(one: ReportedTraceback, other: ReportedTraceback): boolean {
  const sameMessage = one.message.includes(other.message) || other.message.includes(one.message);
  return sameMessage && nameOf(one.type) === nameOf(other.type);
}

function nameOf(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}
