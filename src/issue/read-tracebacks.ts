import type { Frame, ReportedTraceback } from "../types.ts";

const maxTracebacks = 20;
const maxFrames = 200;
const maxMessageLines = 20;
const maxLineChars = 2_000;

/** `[rank2]:`, `(worker pid=12)`, a quote's `>`: what launchers and replies put before every line. */
const linePrefix = /^(?:>[ \t]?|\[?rank ?\d+\]?:[ \t]?|\([\w-]+ pid=\d+(?:, [^)]*)?\)[ \t]?|\d+: )/i;
const ansiWithoutEscape = /\[\d{1,3}(?:;\d{1,3})*m/g;

const header = /Traceback \(most recent call last\)/;
const notebookHeader = /^\s*([A-Za-z_][\w.]*)\s{2,}Traceback \(most recent call last\)/;
const pythonFrame = /^\s*File "([^"]+)", line (\d+)(?:, in (.+))?$/;
const notebookFrame =
  /^(?:File |Cell |Input )?(?:(In ?\[\d+\])|(<ipython-input[^>]*>|(?:[A-Za-z]:)?[^\s<>:]+\.py|~?\/[^\s:]+))(?::(\d+))?(?:, line (\d+)|[ ,]+in ([\w.<>]+)|(?=$))/;
const functionOfFrame = /\bin ([\w.]+)/;
const arrow = /^\s*-+>\s?(\d+)(?:\s(.*))?$/;
const errorLine = /^(?:E\s{1,7})?([A-Za-z_][\w.]*)(?::(?:\s(.*))?)?$/;
const errorType = /(?:Error|Exception|Warning|Interrupt|Exit|Failed|Failure|Unsupported|Iteration|Fault|[a-z]Err)$/;
const chained = /^(?:During handling of the above exception|The above exception was the direct cause)/;

const loneError = /(?<![\w.])((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))(`?):[ \t]*([^\s].*)$/;
const notSeen = /\b(?:should|expect\w*|instead of|rather than|except|catch|want\w*|or|raises?:?|not)\b[^.]{0,60}$/i;
const docstring = /^(?:if|when|in case|raised|as|pass|return|continue|raise)\b/i;
const afterMessage = /[.,;]?\s+(?:when|while|after|during|because|which|whenever|if I|but)\s|\.\s+(?=[A-Z])/;

interface Open {
  type: string | null;
  frames: Frame[];
  notebook: boolean;
}

/**
 * The tracebacks in a cleaned text, in order: Python's and IPython's, with or without their head, and errors that
 * stand on a line of their own or in a sentence, which have no frames. One that names no exception is left out.
 */
export function readTracebacks(text: string): ReportedTraceback[] {
  const lines = text.split("\n").map(stripLine);
  const found: ReportedTraceback[] = [];
  let open: Open | null = null;
  for (let index = 0; index < lines.length && found.length < maxTracebacks; index += 1) {
    const line = lines[index] ?? "";
    const started = startOf(lines, index, open);
    if (started !== null) {
      found.push(...withoutEnd(open));
      open = started;
      continue;
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
  const short = line.slice(0, maxLineChars).replace(ansiWithoutEscape, "").trimEnd();
  return short.replace(linePrefix, "").replace(linePrefix, "");
}

/** A header starts a traceback, and so does a frame whose header was cut off. */
function startOf(lines: string[], index: number, open: Open | null): Open | null {
  const line = lines[index] ?? "";
  const notebookType = notebookHeader.exec(line)?.[1];
  if (notebookType !== undefined) return { type: notebookType, frames: [], notebook: true };
  if (header.test(line)) return { type: null, frames: [], notebook: false };
  if (open !== null || !pythonFrame.test(line)) return null;
  const frame = readPythonFrame(line, lines[index + 1] ?? null);
  return { type: null, frames: frame === null ? [] : [frame], notebook: false };
}

interface Step {
  frame: Frame | null;
  error: Pick<ReportedTraceback, "type" | "message"> | null;
  ends: boolean;
  /** Lines read beyond the one asked for. */
  extraLines: number;
}

const nothing: Step = { frame: null, error: null, ends: false, extraLines: 0 };

function readWithin(lines: string[], index: number, open: Open): Step {
  const line = lines[index] ?? "";
  if (line.trim() === "") return nothing;
  const frame =
    readPythonFrame(line, lines[index + 1] ?? null) ?? (open.notebook ? readNotebookFrame(lines, index) : null);
  if (frame !== null) return { ...nothing, frame };
  if (open.notebook && !isErrorOf(line, open.type)) return chained.test(line) ? { ...nothing, ends: true } : nothing;
  const error = errorLine.exec(line);
  if (error?.[1] === undefined) return /^\s|^[~^.]/.test(line) ? nothing : { ...nothing, ends: true };
  if (
    !namesException(error[1], { message: error[2] ?? "", follows: lines[index - 1] ?? "", frames: open.frames.length })
  ) {
    return { ...nothing, ends: true };
  }
  const rest = messageLines(lines, index + 1);
  const message = [error[2] ?? "", ...rest].join("\n").trim();
  return { frame: null, error: { type: error[1], message }, ends: true, extraLines: rest.length };
}

/** A class name without a telling end counts where a message follows and it stands right below a frame. */
function namesException(type: string, near: { message: string; follows: string; frames: number }): boolean {
  if (errorType.test(type)) return true;
  if (near.frames === 0 || near.message === "" || near.follows.trim() === "") return false;
  return type.includes(".") || /^[A-Z]/.test(type);
}

function isErrorOf(line: string, type: string | null): boolean {
  return type !== null && (line === type || line.startsWith(`${type}:`));
}

/** Lines after the error's own that belong to its message. */
function messageLines(lines: string[], start: number): string[] {
  const rest: string[] = [];
  for (const line of lines.slice(start, start + maxMessageLines)) {
    if (line.trim() === "" || /^\s*(?:`{3,}|~{3,}|<\/)/.test(line)) break;
    if (header.test(line) || chained.test(line) || pythonFrame.test(line)) break;
    rest.push(line);
  }
  return rest;
}

function readPythonFrame(line: string, next: string | null): Frame | null {
  const [, file, number, name] = pythonFrame.exec(line) ?? [];
  if (file === undefined || number === undefined) return null;
  const isCode = next !== null && /^\s+\S/.test(next) && !pythonFrame.test(next);
  return { file, line: Number(number), function: name?.trim() ?? "<module>", code: isCode ? next.trim() : null };
}

/** A frame's head (`File x.py:12, in f(a)`, `Cell In[3], line 4`, `x.py in f(a)`) and the line at its arrow. */
function readNotebookFrame(lines: string[], index: number): Frame | null {
  const line = lines[index] ?? "";
  const match = notebookFrame.exec(line);
  if (match === null) return null;
  let pointed: RegExpExecArray | null = null;
  for (const next of lines.slice(index + 1, index + 30)) {
    pointed = arrow.exec(next);
    if (pointed !== null || notebookFrame.test(next)) break;
  }
  const number = match[3] ?? match[4] ?? pointed?.[1];
  const file = match[1] ?? match[2];
  if (file === undefined || number === undefined) return null;
  const code = pointed?.[2]?.trim() ?? null;
  return { file, line: Number(number), function: functionOfFrame.exec(line)?.[1] ?? "<module>", code };
}

/** `Type: message` outside of a traceback, unless the words before say that it is not what happens. */
function readLoneError(line: string): ReportedTraceback | null {
  const match = loneError.exec(line);
  if (match === null) return null;
  const [whole, type = "", , message = ""] = match;
  const before = line.slice(0, match.index);
  if (notSeen.test(before.slice(-120)) || docstring.test(message)) return null;
  return { type, message: loneMessage(message, before, whole), frames: [] };
}

/** In a sentence the message ends where the sentence goes on; a code span ends with its mark. */
function loneMessage(message: string, before: string, whole: string): string {
  const open = /(`+)[^`]*$/.exec(before)?.[1];
  if (open !== undefined && whole.includes(open)) return (message.split(open)[0] ?? "").trim();
  const ownLine = /^[\s\-*>#"']*$/.test(before);
  const end = ownLine ? -1 : message.search(afterMessage);
  return (end < 8 ? message : message.slice(0, end)).replace(/(?:\*\*|["'])\s*$/, "").trim();
}

/** A later line that only repeats an error already read adds nothing. */
function withoutRepetitions(found: ReportedTraceback[]): ReportedTraceback[] {
  return found.filter(
    ({ type, message, frames }, index) =>
      frames.length > 0 ||
      !found.some(
        (other, at) =>
          at !== index &&
          (at < index || other.frames.length > 0) &&
          nameOf(other.type) === nameOf(type) &&
          (other.message.includes(message) || message.includes(other.message)),
      ),
  );
}

function nameOf(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}
