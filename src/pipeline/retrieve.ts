import type { IndexKey, LexicalIndex } from "../ports/lexical-index.ts";
import { isBesideThePoint } from "../source/beside-the-point.ts";
import { listPythonFiles } from "../source/list-files.ts";
import { matchPath } from "../source/match-path.ts";
import type { Checkout, Chunk, Frame, Issue, ReadIssue, RetrievedChunk } from "../types.ts";

const MOST_RESULTS = 20;
const MOST_BY_WORDS = 60;
const MOST_IDENTIFIERS = 40;
/** A name with more definitions than this (`forward`) says nothing. */
const MOST_DEFINITIONS = 6;
const MOST_A_FILE = 4;

/** How much being first in a list counts, and how slowly later places count less. */
const WEIGHTS = { permalink: 4, traceback: 3, identifier: 1.5, path: 1, bm25: 1.5 } as const;
const RANK_OFFSET = 8;
/** What tests, vendored and generated code keep of their score when only words speak for them. */
const BESIDE_THE_POINT = 0.3;

type Reason = keyof typeof WEIGHTS;

export interface RetrieveInput {
  issue: Pick<Issue, "title" | "body">;
  read: ReadIssue;
  checkout: Pick<Checkout, "path">;
  key: IndexKey;
}

/**
 * The project's chunks that an issue is about, best first, at most 20: what it links to, what its tracebacks went
 * through, what it names, and what shares its words. The same input gives the same list.
 */
export async function retrieve(
  input: RetrieveInput,
  { index }: { index: LexicalIndex },
  signal: AbortSignal,
): Promise<RetrievedChunk[]> {
  const { files } = await listPythonFiles(input.checkout.path);
  signal.throwIfAborted();
  const finder = { ...input, index, files };
  const text = `${input.issue.title}\n${input.issue.body}`;
  const byWords = (await index.search(input.key, text, MOST_BY_WORDS)).map(({ chunk }) => chunk);
  const lists: [Reason, Chunk[]][] = [
    ["permalink", await byPermalinks(finder)],
    ["traceback", await byTracebacks(finder)],
    ["identifier", await byIdentifiers(finder)],
    ["path", await byPaths(finder, byWords)],
    ["bm25", byWords],
  ];
  return fuse(lists).slice(0, MOST_RESULTS);
}

type Finder = RetrieveInput & { index: LexicalIndex; files: readonly string[] };

async function byPermalinks({ read, index, key, files }: Finder): Promise<Chunk[]> {
  const found: Chunk[] = [];
  for (const { path, startLine, endLine } of read.permalinks) {
    const file = matchPath(path, files);
    if (file === null || startLine === null) continue;
    const chunks = await index.file(key, file);
    found.push(...chunks.filter((chunk) => chunk.startLine <= (endLine ?? startLine) && chunk.endLine >= startLine));
  }
  return found;
}

/** Innermost frames first: that is where it went wrong. */
async function byTracebacks({ read, index, key, files }: Finder): Promise<Chunk[]> {
  const found: Chunk[] = [];
  for (const frame of read.tracebacks.flatMap(({ frames }) => frames.toReversed())) {
    const file = matchPath(frame.file, files);
    if (file === null) continue;
    const chunk = chunkOfFrame(frame, await index.file(key, file), frame.file.includes("/"));
    if (chunk !== null) found.push(chunk);
  }
  return found;
}

/**
 * The chunk of a frame's function; of several the one that has the printed line, or is nearest to the frame's line
 * number, which may be that of another commit. Without such a function, the chunk at the line, if the path is more than a bare name.
 */
function chunkOfFrame({ function: name, line, code }: Frame, chunks: readonly Chunk[], isPath: boolean): Chunk | null {
  const away = ({ startLine, endLine }: Chunk) => Math.max(startLine - line, line - endLine, 0);
  const wanted = name
    .split(".")
    .filter((part) => !part.startsWith("<"))
    .at(-1);
  const isModule = name === "<module>";
  const ofFunction = chunks.filter(({ kind, symbol }) =>
    isModule ? kind === "module" : kind !== "module" && symbol.split(".").at(-1) === wanted,
  );
  const lacksLine = ({ text }: Chunk) => Number(code !== null && !text.includes(code.trim()));
  const nearest = ofFunction.toSorted((a, b) => lacksLine(a) - lacksLine(b) || away(a) - away(b))[0];
  return nearest ?? (isPath ? chunks.find((chunk) => away(chunk) === 0) : undefined) ?? null;
}

async function byIdentifiers({ read, index, key }: Finder): Promise<Chunk[]> {
  const found: Chunk[] = [];
  for (const identifier of read.identifiers.slice(0, MOST_IDENTIFIERS)) {
    const names = identifier.replace(/\(.*$/s, "").split(".");
    for (let from = 0; from < names.length; from++) {
      const chunks = await index.definitions(key, names.slice(from).join("."));
      const symbols = new Set(chunks.map(({ path, symbol }) => `${path}:${symbol}`));
      if (symbols.size > MOST_DEFINITIONS) break;
      if (chunks.length === 0) continue;
      found.push(...chunks.toSorted((a, b) => Number(isBesideThePoint(a.path)) - Number(isBesideThePoint(b.path))));
      break;
    }
  }
  return found;
}

/** Of each file that is named, the chunks that share most words with the issue; its first ones when none does. */
async function byPaths({ read, index, key, files }: Finder, byWords: readonly Chunk[]): Promise<Chunk[]> {
  const found: Chunk[] = [];
  const named = [...read.paths, ...read.permalinks.filter((link) => link.startLine === null).map(({ path }) => path)];
  for (const file of new Set(named.map((path) => matchPath(path, files)))) {
    if (file === null) continue;
    const sharing = byWords.filter(({ path }) => path === file);
    found.push(...(sharing.length > 0 ? sharing : await index.file(key, file)).slice(0, MOST_A_FILE));
  }
  return found;
}

/** Adds up what each list says for a chunk by its rank there. */
function fuse(lists: readonly (readonly [Reason, readonly Chunk[]])[]): RetrievedChunk[] {
  const fused = new Map<string, RetrievedChunk>();
  for (const [reason, chunks] of lists) {
    const ranked = new Map(chunks.toReversed().map((chunk) => [`${chunk.path}:${chunk.startLine}`, chunk]));
    for (const [rank, [id, chunk]] of [...ranked].reverse().entries()) {
      const entry = fused.get(id) ?? { chunk, score: 0, because: [] };
      entry.score += (WEIGHTS[reason] * RANK_OFFSET) / (RANK_OFFSET + rank);
      entry.because.push(reason);
      fused.set(id, entry);
    }
  }
  for (const entry of fused.values()) {
    const pointedAt = entry.because.some((reason) => reason !== "bm25" && reason !== "identifier");
    if (!pointedAt && isBesideThePoint(entry.chunk.path)) entry.score *= BESIDE_THE_POINT;
  }
  const place = ({ chunk }: RetrievedChunk) => `${chunk.path}:${String(chunk.startLine).padStart(9, "0")}`;
  return [...fused.values()].sort((a, b) => b.score - a.score || (place(a) < place(b) ? -1 : 1));
}
