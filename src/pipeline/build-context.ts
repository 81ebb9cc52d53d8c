import type { IndexKey, LexicalIndex } from "../ports/lexical-index.ts";
import { importPackages } from "../source/import-packages.ts";
import { matchPath } from "../source/match-path.ts";
import { usageExcerpt } from "../source/usage-excerpt.ts";
import type { Checkout, Chunk, Context, ReadIssue, RetrievedChunk } from "../types.ts";
import { trimChunk } from "./trim-chunk.ts";

/** About 6,000 tokens. */
const BUDGET_CHARACTERS = 24_000;
/** Of one snippet, so that no single function crowds out the rest. */
const SNIPPET_CHARACTERS = 5_000;
const CLASS_HEAD_CHARACTERS = 1_500;

export interface BuildContextInput {
  read: ReadIssue;
  retrieved: readonly RetrievedChunk[];
  checkout: Pick<Checkout, "path">;
  key: IndexKey;
  /** Of all snippets together. (Default: 24,000.) */
  budgetCharacters?: number;
}

/**
 * What the model is shown of the project: the retrieved chunks, best first, within the budget, each method with the
 * head of its class; long ones are cut to the lines that matter, and their ranges say so.
 */
export async function buildContext(
  { read, retrieved, checkout, key, budgetCharacters = BUDGET_CHARACTERS }: BuildContextInput,
  { index }: { index: LexicalIndex },
  signal: AbortSignal,
): Promise<Context> {
  const packages = await importPackages(checkout.path);
  const usage = await usageExcerpt(checkout.path, packages);
  const snippets = new Map<string, RetrievedChunk>();
  let left = budgetCharacters;
  const add = (retrievedChunk: RetrievedChunk, maxCharacters: number) => {
    const { chunk } = retrievedChunk;
    const id = `${chunk.path}:${chunk.startLine}`;
    if (snippets.has(id)) return;
    const trimmed = trimChunk(chunk, {
      maxCharacters: Math.min(maxCharacters, left),
      relevant: relevance(read, chunk),
    });
    if (trimmed === null) return;
    snippets.set(id, { ...retrievedChunk, chunk: trimmed });
    left -= trimmed.text.length;
  };

  for (const found of retrieved) {
    signal.throwIfAborted();
    add(found, SNIPPET_CHARACTERS);
    const head = await classHead(found.chunk, key, index);
    if (head !== null) add({ chunk: head, score: found.score, because: ["class-head"] }, CLASS_HEAD_CHARACTERS);
  }
  return { packages, snippets: [...snippets.values()], usage };
}

/** A context as text for a prompt: the files, most relevant first, with their snippets in order; then how the project is used. */
export function renderContext({ snippets, usage }: Context): string {
  const byPath = Map.groupBy(snippets, ({ chunk }) => chunk.path);
  const parts = [...byPath.values()].flatMap((ofFile) =>
    ofFile
      .toSorted((a, b) => a.chunk.startLine - b.chunk.startLine)
      .map(({ chunk }) => fence(titleOf(chunk), chunk.text)),
  );
  return [...parts, ...(usage === "" ? [] : [fence("How the project is used (its README)", usage)])].join("\n\n");
}

function titleOf({ path, startLine, endLine, symbol, kind }: Chunk): string {
  return `${path}:${startLine}-${endLine} (${kind === "class" ? `${symbol}, outline` : symbol})`;
}

/** Fenced with more backticks than the text has in a row anywhere. */
function fence(title: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  return `${title}\n${ticks}python\n${text}\n${ticks}`;
}

async function classHead({ kind, path, symbol }: Chunk, key: IndexKey, index: LexicalIndex): Promise<Chunk | null> {
  if (kind !== "method") return null;
  const name = symbol.slice(0, symbol.lastIndexOf("."));
  const heads = await index.definitions(key, name);
  return heads.find((head) => head.kind === "class" && head.path === path && head.symbol === name) ?? null;
}

/** How much each line of a chunk matters: lines that the issue points at most, then lines with names it uses. */
function relevance(read: ReadIssue, chunk: Chunk): (text: string, line: number) => number {
  const isHere = (path: string) => matchPath(path, [chunk.path]) !== null;
  const links = read.permalinks.filter(({ path }) => isHere(path));
  const frames = read.tracebacks.flatMap((traceback) => traceback.frames).filter(({ file }) => isHere(file));
  const quoted = new Set(frames.flatMap(({ code }) => (code === null ? [] : [code.trim()])));
  const names = read.identifiers
    .map((identifier) => identifier.split(".").at(-1) ?? "")
    .filter((name) => name.length > 2);
  return (text, line) => {
    if (quoted.has(text.trim())) return 20;
    const linked = links.some(({ startLine, endLine }) => {
      return startLine !== null && line >= startLine && line <= (endLine ?? startLine);
    });
    if (linked || frames.some((frame) => frame.line === line && frame.code === null)) return 20;
    return Math.min(3, names.filter((name) => text.includes(name)).length);
  };
}
