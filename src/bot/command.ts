import { parse } from "shell-quote";
import { cleanText } from "../issue/clean-text.ts";
import { splitBody } from "../issue/split-body.ts";

/** What `/repro …` may set; each null or empty where it was not written. */
export interface RunOptions {
  ref: string | null;
  python: string | null;
  withPackages: string[];
  gpu: boolean | null;
  runs: number | null;
  model: string | null;
  hint: string | null;
}

export type Command =
  | { name: "start"; options: RunOptions }
  | { name: "retry"; hint: string | null }
  | { name: "status" | "cancel" | "help" }
  /** Not understood: answered with the usage. */
  | { name: "unknown"; problem: string };

export const usage = [
  '/repro [--ref REF] [--python 3.11] [--with PKG==VERSION]… [--cpu | --gpu] [--runs N] [--model NAME] [--hint "…"]',
  "/repro status",
  "/repro cancel",
  '/repro retry ["hint"]',
  "/repro help",
].join("\n");

/** Does a comment mean to be a command, understood or not. */
export function hasCommand(body: string): boolean {
  return commandLine(body) !== undefined;
}

function commandLine(body: string): string | undefined {
  const prose = withoutPreformatted(splitBody(cleanText(body)).prose.join("\n"));
  return prose.split("\n").find((text) => /^\/repro(?:\s|$)/.test(text));
}

/** Code as HTML writes it; one that is not closed goes on to the end. A tag between backticks is none. */
function withoutPreformatted(prose: string): string {
  return prose.replace(/`[^`\n]*`|<(pre|code)\b[^>]*>[\s\S]*?(?:<\/\1\s*>|$)/gi, (match) =>
    match.startsWith("<") ? " " : match,
  );
}

/** The first command of a comment: at the start of a line, outside of code, quotes and HTML comments; null for none. */
export function parseCommand(body: string): Command | null {
  const line = commandLine(body);
  if (line === undefined) return null;
  const words = splitWords(line);
  if (words === null) return { name: "unknown", problem: "a quote is not closed, or a character has to be quoted" };
  const [, first, ...rest] = words;
  switch (first) {
    case "status":
    case "cancel":
    case "help":
      return rest.length === 0 ? { name: first } : { name: "unknown", problem: `${first} takes nothing behind it` };
    case "retry":
      return rest.length <= 1
        ? { name: "retry", hint: rest[0]?.trim() || null }
        : { name: "unknown", problem: 'the hint of retry has to be in quotes: /repro retry "hint"' };
    default:
      return parseOptions(words.slice(1));
  }
}

/** Words as a shell splits them; nothing is expanded. Null where the shell would not take the line as words. */
function splitWords(line: string): string[] | null {
  const plain = line.replaceAll(/[“”]/g, '"');
  if (hasOpenQuote(plain)) return null;
  const words = parseWords(plain).map((entry) => (typeof entry === "string" ? entry : readOperator(entry)));
  return words.every((word) => word !== null) ? words : null;
}

/** A substitution that no shell would take is an operator like others. */
function parseWords(line: string): ReturnType<typeof parse> {
  try {
    return parse(line, (name) => `$${name}`);
  } catch {
    return [{ op: "(" }];
  }
}

function readOperator(entry: object): string | null {
  if ("pattern" in entry && typeof entry.pattern === "string") return entry.pattern;
  if ("op" in entry && (entry.op === "<" || entry.op === ">")) return entry.op;
  return null;
}

function hasOpenQuote(line: string): boolean {
  let open = "";
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? "";
    if (character === "\\" && open !== "'") at++;
    else if (open === "") open = character === '"' || character === "'" ? character : "";
    else if (character === open) open = "";
  }
  return open !== "";
}

const requirement =
  /^[A-Za-z0-9][\w.-]*(?:\[[\w,.-]*\])?(?:(?:==|~=|!=|<=?|>=?)[\w.!+*-]+(?:,(?:==|~=|!=|<=?|>=?)[\w.!+*-]+)*)?$/;

/** Option → what its value has to look like, and how it is taken. */
const withValue: Record<string, { form: RegExp; example: string; take: (options: RunOptions, value: string) => void }> =
  {
    "--ref": {
      form: /^[\w][\w./@+-]{0,200}$/,
      example: "--ref v1.2.0",
      take: (options, value) => {
        options.ref = value;
      },
    },
    "--python": {
      form: /^3\.\d{1,2}$/,
      example: "--python 3.11",
      take: (options, value) => {
        options.python = value;
      },
    },
    "--with": {
      form: requirement,
      example: "--with timm==1.0.9",
      take: (options, value) => {
        options.withPackages.push(value);
      },
    },
    "--runs": {
      form: /^(?:[1-9]|1\d|20)$/,
      example: "--runs 5 (20 at most)",
      take: (options, value) => {
        options.runs = Number(value);
      },
    },
    "--model": {
      form: /^[\w][\w./:@-]{0,100}$/,
      example: "--model NAME",
      take: (options, value) => {
        options.model = value;
      },
    },
    "--hint": {
      form: /\S/,
      example: '--hint "only with attn_dropout > 0"',
      take: (options, value) => {
        options.hint = value;
      },
    },
  };

function parseOptions(words: readonly string[]): Command {
  const options: RunOptions = {
    ref: null,
    python: null,
    withPackages: [],
    gpu: null,
    runs: null,
    model: null,
    hint: null,
  };
  const left = [...words];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const [, word = next, inline = null] = /^(--\w+)=(.*)$/s.exec(next) ?? [];
    if (word === "--cpu" || word === "--gpu") {
      if (options.gpu !== null) return { name: "unknown", problem: "--cpu and --gpu exclude each other" };
      options.gpu = word === "--gpu";
      continue;
    }
    const option = withValue[word];
    if (option === undefined) return { name: "unknown", problem: `there is no ${word.slice(0, 40)}` };
    let value = inline ?? left.shift();
    // `torch>=2` is one word to whoever writes it, and three to a shell.
    while (word === "--with" && value !== undefined && (/[<>]$/.test(value) || /^[<>]/.test(left[0] ?? ""))) {
      value += left.shift() ?? " ";
    }
    if (value === undefined || !option.form.test(value)) {
      return { name: "unknown", problem: `${word} needs a value such as ${option.example}` };
    }
    option.take(options, value);
  }
  return { name: "start", options };
}
