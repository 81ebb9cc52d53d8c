import type { ReportedTraceback } from "../types.ts";
import { classifyBlock } from "./classify-block.ts";
import { isCommonplace } from "./commonplaces.ts";
import { ownFrames } from "./own-frames.ts";
import type { Body } from "./split-body.ts";

const maxIdentifiers = 60;
const maxOccurrences = 20_000;
const maxChars = 100;

const name = /(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/g;
const codeSpan = /(`{1,3})([^`\n]+)\1(?!`)/g;
/** Links, and paths with two slashes or more: the folders of a reporter's machine are no names of the project. */
const address = /https?:\/\/[^\s<>"')]+|(?<![\w.~-])[\w.~-]*(?:[/\\][\w.~-]+){2,}/g;
const fileEnd = /\.(?:pyx?|ya?ml|json|txt|md|toml|cfg|ini|sh|ipynb|pth?|ckpt|png|jpe?g|com|org|io|co|net)$/i;
const versioned = /^v?\d|^[vV]\d/;

/** Where a name stands, by how much that says. */
const weights = { title: 6, span: 5, prose: 3, code: 1 };

/**
 * Names that may be defined in the project, most specific first, 60 at most: dotted and compound names of the title,
 * code spans, prose, code and traceback frames outside of libraries, and the last part of each dotted one. Plain words count in code spans and as names that
 * code imports or calls.
 */
export function readIdentifiers(title: string, body: Body, tracebacks: ReportedTraceback[]): string[] {
  const prose = body.prose.join("\n").replace(address, " ");
  const spans = [...`${title}\n${prose}`.matchAll(codeSpan)].map((match) => match[2] ?? "");
  const code = [
    ...body.blocks.filter((block) => classifyBlock(block) !== "traceback").map(({ text }) => text),
    ...tracebacks.flatMap(({ frames }) => ownFrames(frames).map((frame) => `${frame.function} ${frame.code ?? ""}`)),
  ];
  const blocks = code.join("\n").replace(address, " ");
  const scores = new Map<string, number>();
  const count = (found: string[], weight: number): void => {
    for (const each of found) scores.set(each, Math.max(scores.get(each) ?? 0, weight + shapePoints(each)));
  };
  count(namesIn(title).filter(isCompound), weights.title);
  count(spans.flatMap(namesIn), weights.span);
  count(namesIn(prose).filter(isCompound), weights.prose);
  count(namesIn(blocks).filter(isCompound), weights.code);
  count(usedWords(blocks), weights.code);
  return [...scores.entries()]
    .sort(([, a], [, b]) => b - a)
    .slice(0, maxIdentifiers)
    .map(([identifier]) => identifier);
}

function namesIn(text: string): string[] {
  const found = (text.match(name) ?? []).slice(0, maxOccurrences);
  return found.flatMap((whole) => {
    if (whole.length > maxChars || fileEnd.test(whole) || versioned.test(whole)) return [];
    const own = whole.replace(/^(?:self|cls)\./, "");
    const last = own.slice(own.lastIndexOf(".") + 1);
    return [...new Set([own, last])].filter((each) => each.length > 2 && !isCommonplace(each));
  });
}

/** Words that code imports or calls: `from rope import spin`, `spin(x)`. */
function usedWords(code: string): string[] {
  const imported = (code.match(/^[ \t]*(?:from|import)[ \t][^\n]*/gm) ?? []).slice(0, 200);
  const called = (code.match(/(?<![\w.])[A-Za-z_]\w*(?=\()/g) ?? []).slice(0, maxOccurrences);
  return [...imported.flatMap(namesIn), ...called.flatMap(namesIn)];
}

/** Dotted, `snake_case` or `CamelCase`: a shape that words of a sentence do not have. */
function isCompound(identifier: string): boolean {
  return /[._]/.test(identifier.slice(1, -1)) || /[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2}/.test(identifier);
}

function shapePoints(identifier: string): number {
  return (isCompound(identifier) ? 2 : 0) + Math.min(identifier.length, 30) / 30;
}
