import { beforeTraceback, classifyBlock } from "./classify-block.ts";
import { findLooseCode } from "./find-loose-code.ts";
import { findHeadings } from "./read-sections.ts";
import { readStatements, type Statement } from "./read-statements.ts";
import type { Body, PlacedBlock } from "./split-body.ts";

interface Piece {
  code: string;
  /** Does something by itself, not only defines or imports. */
  runs: boolean;
  /** Names that it defines or binds at its top level. */
  defines: string[];
  score: number;
}

const enough = 2;
const maxLeadInLines = 4;
const maxCodeChars = 60_000;

const meantToRun =
  /\b(?:repro\w*|minimal|mre|mwe|example|snippet|script|runs?|running|ran|steps|try|tried|following code|sample|usage|test(?:ed|ing)?|standalone|colab)\b/i;
const meantAsQuote =
  /\bthe (?:\w+ ){0,2}(?:code|lines?|implementation|function|method|class|definition) (?:in|of|at|from|for|below|above|is|here)\b|\bin (?:the |this )?(?:file|source|line|function|method|class)\b|\blines? \d|\bshould (?:\w+ )?be\b|\binstead\b|\bimplementation\b|\bcurrent(?:ly)? \w+|\bmissing\b|\bchang\w+\b|\breplac\w+|\bfix\w*\b|\bworkaround\b|\bsolution\b|\bpatch\w*|\bpropos\w+|\bsuggest\w*|\bdefined (?:in|as|at)\b|\/blob\/|\.py\b/i;
const notToRun =
  /^(?:expected|logs?\b|error|relevant log|stack ?trace|traceback|output|versions?\b|environment|system info|actual)/i;

const call = /[\w\])]\(/;
const imports = /^(?:import|from)[ \t]/;
const placeholder = /^\.\.\.$|\(\.\.\.\)|=[ \t]*\.\.\.$|<[a-z_ -]{3,30}>/i;
const selfOutside = /\bself\./;
const onlyInFunction = /^(?:return|yield)\b/;

/**
 * The Python that the reporter means to be run, its pieces joined in order; null for none. What only quotes the
 * project (a method, a line and what it should be) is none, nor is output, a command or a change. Code without a fence
 * counts where no block is to be run.
 */
export function readRunnableCode(body: Body): string | null {
  return joinPieces(body, body.blocks) ?? joinPieces(body, findLooseCode(body));
}

function joinPieces(body: Body, blocks: PlacedBlock[]): string | null {
  const leadIns = leadInReader(body);
  const pieces = blocks.flatMap((block) => {
    const piece = readPiece(block, leadIns(block));
    return piece === null ? [] : [piece];
  });
  const running = pieces.filter((piece) => piece.runs && piece.score >= enough);
  if (running.length === 0) return null;
  const wanted = pieces.filter((piece) => running.includes(piece) || (!piece.runs && serves(piece, running)));
  const code = [...new Set(wanted.map((piece) => piece.code))].join("\n\n");
  return code.length > maxCodeChars ? null : code;
}

/** Definitions and imports belong to the script when a piece that runs uses a name of them. */
function serves(piece: Piece, running: Piece[]): boolean {
  const used = new Set(running.flatMap(({ code }) => code.match(/[A-Za-z_]\w*/g) ?? []));
  return piece.score > 0 && piece.defines.some((name) => used.has(name));
}

interface LeadIn {
  heading: string;
  /** Prose right above the block. */
  text: string;
}

function readPiece(block: PlacedBlock, leadIn: LeadIn): Piece | null {
  const kind = classifyBlock(block);
  if (kind !== "python" && kind !== "prompt") return null;
  if (notToRun.test(leadIn.heading) && !meantToRun.test(leadIn.heading)) return null;
  const code = kind === "prompt" ? fromPrompts(block.text) : withoutMagics(beforeTraceback(block.text));
  const statements = readStatements(code);
  const hasImport = statements.some((statement) => imports.test(statement.code));
  const firstIndent = statements[0]?.indent ?? 0;
  if (firstIndent > 0 && !hasImport) return null;
  const outside = statements.filter((statement) => !statement.inDefinition);
  if (outside.some((each) => selfOutside.test(each.code) || onlyInFunction.test(each.code))) return null;
  const runs = outside.some((each) => doesSomething(each.code));
  return {
    code: dedent(code, firstIndent),
    runs,
    defines: outside.flatMap(namesBound),
    score: score({
      statements,
      hasImport,
      runs,
      leadIn,
      labelled: block.language.startsWith("py") || kind === "prompt",
    }),
  };
}

/** Evidence that a block is meant to be run, in points; a complete program outweighs doubtful words above it. */
function score(piece: {
  statements: Statement[];
  hasImport: boolean;
  runs: boolean;
  leadIn: LeadIn;
  labelled: boolean;
}): number {
  const { heading, text } = piece.leadIn;
  const cut = piece.statements.some(({ code }) => placeholder.test(code.slice(0, 400)));
  return (
    (piece.hasImport ? 2 : 0) +
    (piece.runs ? 2 : 0) +
    (meantToRun.test(heading) || meantToRun.test(text) ? 2 : 0) +
    (piece.labelled ? 1 : 0) -
    (cut ? 2 : 0) -
    (meantAsQuote.test(text) ? 3 : 0)
  );
}

function doesSomething(code: string): boolean {
  return !imports.test(code) && !/^(?:@|(?:async[ \t]+)?def\b|class\b)/.test(code) && call.test(code);
}

function namesBound({ code }: Statement): string[] {
  const definition = /^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)/.exec(code)?.[1];
  if (definition !== undefined) return [definition];
  if (imports.test(code)) return code.slice(code.indexOf("import") + 6).match(/[A-Za-z_]\w*/g) ?? [];
  const target = /^([A-Za-z_]\w*(?:[ \t]*,[ \t]*[A-Za-z_]\w*)*)[ \t]*(?::[^=]*)?=(?!=)/.exec(code)?.[1];
  return target?.split(/[ \t]*,[ \t]*/) ?? [];
}

function fromPrompts(text: string): string {
  const code: string[] = [];
  let continues = false;
  for (const line of text.split("\n")) {
    const first = /^(?:>>>|In \[\d+\]:)(?: (.*))?$/.exec(line);
    const next: RegExpExecArray | null = continues ? /^(?:\.\.\.|[ \t]+\.{3}:)(?: (.*))?$/.exec(line) : null;
    continues = first !== null || next !== null;
    if (continues) code.push((first ?? next)?.[1] ?? "");
  }
  return withoutMagics(code.join("\n")).trim();
}

function withoutMagics(code: string): string {
  return code
    .split("\n")
    .filter((line) => !/^(?:!|%%?)[A-Za-z]/.test(line))
    .join("\n")
    .trimEnd();
}

function dedent(code: string, columns: number): string {
  const lines = code.split("\n").map((line) => (line.slice(0, columns).trim() === "" ? line.slice(columns) : line));
  return lines.join("\n").replace(/^(?:[ \t]*\n)+/, "");
}

function leadInReader(body: Body): (block: PlacedBlock) => LeadIn {
  const headings = findHeadings(body);
  const headingLines = new Set(headings.map(({ line }) => line));
  const proseEnds = new Set(body.blocks.map((block) => block.lastLine));
  return (block) => {
    const above: string[] = [];
    for (let line = block.firstLine - 1; line >= 1 && above.length < maxLeadInLines; line -= 1) {
      if (headingLines.has(line) || proseEnds.has(line)) break;
      const text = body.prose[line - 1]?.trim() ?? "";
      if (text !== "") above.unshift(text.slice(-500));
    }
    const heading = headings.findLast(({ line }) => line < block.firstLine)?.text ?? "";
    return { heading, text: above.join("\n") };
  };
}
