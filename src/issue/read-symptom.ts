import type { Frame, Issue, ReadIssue, ReportedTraceback, Symptom } from "../types.ts";
import { cleanText } from "./clean-text.ts";
import { isInstalled, ownFrames } from "./own-frames.ts";
import { splitBody } from "./split-body.ts";

const maxMessageChars = 200;
/** Seconds after which a run that does not end counts as hanging, where the report names none. */
const hangSeconds = 20;

/** Launchers raise these when a child failed; the child's own error says more. */
const wrappers = /(?:^|\.)(?:ChildFailedError|CalledProcessError|ProcessRaisedException|SystemExit)$/;

/**
 * The symptom as far as a program may decide: a printed error, a crash, a hang, a warning that the report is about, or
 * an unnamed error of code that can be run. Null where it needs judgement, as for every silent bug.
 */
export function readSymptom(read: ReadIssue, issue: Issue): Symptom | null {
  const title = cleanText(issue.title);
  const body = splitBody(cleanText(issue.body));
  const text = `${title}\n${body.lines.join("\n")}`;
  const prose = `${title}\n${body.prose.join("\n")}`;
  const traceback = decisiveTraceback(read.tracebacks);
  const crash = readCrash(title) ?? (traceback === null ? readCrash(text) : null);
  if (crash !== null) return crash;
  if (traceback?.type === "KeyboardInterrupt" || (traceback === null && saysHang(prose))) {
    return { kind: "hang", afterSeconds: hangSeconds };
  }
  if (traceback !== null) return fromTraceback(traceback);
  const warning = /warn/i.test(prose) ? readWarning(text) : null;
  if (warning !== null) return warning;
  if (read.runnableCode !== null && saysError(prose))
    return { kind: "exception", type: null, message: null, where: null };
  return null;
}

/** The last one that is not a launcher's, one with frames before one without. */
function decisiveTraceback(tracebacks: ReportedTraceback[]): ReportedTraceback | null {
  const telling = tracebacks.filter(({ type }) => !wrappers.test(type));
  return telling.findLast(({ frames }) => frames.length > 0) ?? telling.at(-1) ?? tracebacks.at(-1) ?? null;
}

function fromTraceback({ type, message, frames }: ReportedTraceback): Symptom {
  return {
    kind: "exception",
    type: type.slice(type.lastIndexOf(".") + 1),
    message: distinctivePart(message),
    where: whereRaised(frames),
  };
}

/** The first line that says something, cut; null for a message without words or numbers. */
function distinctivePart(message: string): string | null {
  const first = message
    .split("\n")
    .map((line) => line.trim().replace(/\s+/g, " "))
    .find((line) => /\w/.test(line));
  return first?.slice(0, maxMessageChars).trim() ?? null;
}

/**
 * The function of the innermost frame outside of libraries, or the file for module-level code; null when that is the
 * reporter's own script.
 */
function whereRaised(frames: Frame[]): string | null {
  const own = ownFrames(frames);
  const frame = own.findLast(({ file }) => isInstalled(file)) ?? own.at(-1);
  const script = frames[0]?.function === "<module>" ? frames[0].file : null;
  if (frame === undefined || frame.file === script || !/\.py$/.test(frame.file)) return null;
  const name = frame.function.slice(frame.function.lastIndexOf(".") + 1).trim();
  if (/^[A-Za-z_]\w*$/.test(name)) return name;
  return isInstalled(frame.file) ? frame.file.replaceAll("\\", "/").replace(/^.*-packages\//, "") : null;
}

const crashes: { words: RegExp; signal: string }[] = [
  {
    words: /\bseg(?:mentation)?[ -]?fault(?:s|ed|ing)?\b|\bSIGSEGV\b|\bexit ?code:? (?:139|-11)\b/i,
    signal: "SIGSEGV",
  },
  { words: /\bSIGABRT\b|\bAborted\b(?: \(core dumped\)|[ \t]*$)|\bexit ?code:? (?:134|-6)\b/im, signal: "SIGABRT" },
  { words: /\bSIGFPE\b|\bfloating point exception \(core dumped\)/i, signal: "SIGFPE" },
  { words: /\bSIGBUS\b|\bbus error\b/i, signal: "SIGBUS" },
  { words: /\bSIGILL\b|\billegal instruction\b/i, signal: "SIGILL" },
];

function readCrash(text: string): Symptom | null {
  for (const { words, signal } of crashes) if (isAsserted(text, words)) return { kind: "crash", signal };
  return isAsserted(text, /\bcore dumped\b/i) ? { kind: "crash", signal: null } : null;
}

const hangs =
  /\b(?:hangs?|hung|hanging)\b|\bdeadlock(?:s|ed)?\b|\b(?:stuck|blocks?|blocked|waits?|runs?|loops?) (?:forever|indefinitely|infinitely)\b|\binfinite loop\b|\bnever (?:returns|finishes|terminates|ends|completes|exits)\b|\b(?:it|program|process|script|training|code|run|call|worker|dataloader|test) (?:just )?(?:freezes|is frozen|froze|gets? stuck)\b/i;
/** What is stuck or frozen without anything hanging, or hangs and goes on. */
const otherStuck =
  /\b(?:loss|accuracy|metric|score|weights?|layers?|parameters?|backbone|encoder|gradients?|temporar\w+|briefly|for (?:a|some) \w+|seconds?|hang(?:s|ing)? on to)\b/i;

function saysHang(prose: string): boolean {
  return sentences(prose).some((sentence) => isAsserted(sentence, hangs) && !otherStuck.test(sentence));
}

const warningLine = /(?<![\w.])(?:[A-Za-z_]\w*\.)*([A-Z]\w*Warning)`?: *(\S.*)$/m;

function readWarning(text: string): Symptom | null {
  const match = warningLine.exec(text);
  if (match === null) return null;
  return {
    kind: "warning",
    category: match[1] ?? null,
    message: distinctivePart(withinSpan(match[2] ?? "")),
  };
}

/** A line of a code span, up to the span's end: the last backtick, if it is one without a partner. */
function withinSpan(line: string): string {
  return line.split("`").length % 2 === 0 ? line.slice(0, line.lastIndexOf("`")) : line;
}

const errors =
  /\b(?:an?|the(?: following)?|this|get(?:s|ting)?|got|giv(?:es|ing)|gave|throws?|rais(?:es|ing)|returns?|see|hits?|with|causes?|following) (?:\w+ ){0,2}(?:errors?|exception|traceback|stack trace)\b|\b(?:it|this|that|which|code|script|snippet|call|forward|backward|model|training|and|then|below) (?:\w+ ){0,2}(?:fails|raises|throws|crashes|errors(?: out)?|breaks)\b(?! to (?!run|load|start|import|compile|build|initiali))|\berror\s*$/im;
/** What says that the script runs to its end, or that "error" is a quantity. */
const silent =
  /\b(?:nan|inf|silent(?:ly)?|wrong|incorrect(?:ly)?|slow(?:er)?|leaks?|differs?|different (?:results?|outputs?|values?)|inconsistent|inaccurate|accuracy|converge\w*|error (?:rate|bars?|term|is (?:large|small|high|low))|(?:mean|squared?|absolute|relative|numerical|rounding|reconstruction|approximation|max(?:imum)?|prediction|quantization|validation|test|training) (?:\w+ )?error)\b/i;

function saysError(prose: string): boolean {
  if (silent.test(prose)) return false;
  const told = sentences(prose);
  return !told.some(deniesError) && told.some((sentence) => isAsserted(sentence, errors));
}

function deniesError(sentence: string): boolean {
  return /\b(?:no|without(?: any)?|not?|never|n't|should|expect\w*) (?:\w+ ){0,3}(?:errors?|exceptions?|fails?|raises?|throws?|crash(?:es)?)\b|n't (?:\w+ ){0,2}(?:error|fail|raise|throw|crash)\b/i.test(
    sentence,
  );
}

const negation =
  /(?:\b(?:no|not|never|without|neither|nor|should|avoid\w*|prevent\w*|fix(?:es|ed)?)\b|n't)[^,;]{0,40}$/i;

/** Do the words occur, in any of the lines, without a negation before them. */
function isAsserted(text: string, words: RegExp): boolean {
  return sentences(text).some((sentence) => {
    const match = words.exec(sentence);
    return match !== null && !negation.test(sentence.slice(Math.max(0, match.index - 60), match.index));
  });
}

function sentences(text: string): string[] {
  return text.split(/\n|(?<=[.!?])\s/).map((sentence) => sentence.slice(0, 1_000));
}
