import { posix } from "node:path";
import type { Chunk } from "../types.ts";
import { type Definition, type Outline, outlinePython } from "./outline-python.ts";
import { splitRange } from "./split-range.ts";

/** Names the way files are cut. Another number makes other indexes. */
export const CHUNKING_VERSION = 1;

interface Range {
  startLine: number;
  endLine: number;
}

/**
 * Cuts Python source into functions, methods, class heads and the module-level code between them. Ranges never
 * overlap; longer ones are split between statements, each part with the same symbol. A class head's range is what
 * stands before its first method; its text goes on with the class-level code from further down and with the signatures
 * of its methods. Comments above a definition belong to it. What does not parse is module-level code.
 */
export async function chunkPython(path: string, text: string): Promise<Chunk[]> {
  const source = text.split(/\r\n|\r|\n/);
  const outline = await outlinePython(source.join("\n"));
  const chunker: Chunker = { path, source, outline };
  const top = tidy(chunker, outline.definitions, { startLine: 1, endLine: source.length });
  const moduleChunks = gaps(top, { startLine: 1, endLine: source.length }).flatMap((range) =>
    toChunks(chunker, range, "module", moduleName(path)),
  );
  return [...moduleChunks, ...top.flatMap((definition) => chunkDefinition(chunker, definition, ""))].sort(
    (a, b) => a.startLine - b.startLine,
  );
}

interface Chunker {
  path: string;
  source: readonly string[];
  outline: Outline;
}

function chunkDefinition(chunker: Chunker, definition: Definition, scope: string): Chunk[] {
  const symbol = scope + definition.name;
  if (definition.kind === "function")
    return toChunks(chunker, definition, scope === "" ? "function" : "method", symbol);

  const members = tidy(chunker, definition.members, { ...definition, startLine: definition.signature.endLine + 1 });
  const [head, ...rest] = gaps(members, definition).map((range) => trimBlank(chunker.source, range));
  if (head === undefined || head === null) return [];
  const chunks = toChunks(chunker, head, "class", symbol);
  const more = rest.flatMap((range) =>
    range === null ? [] : chunker.source.slice(range.startLine - 1, range.endLine),
  );
  const signatures = members.flatMap(({ signature }) =>
    chunker.source.slice(signature.startLine - 1, signature.endLine).map((line) => line.trimEnd()),
  );
  const last = chunks.at(-1);
  if (last !== undefined) last.text = [last.text, ...more, ...signatures].join("\n");
  return [...chunks, ...members.flatMap((member) => chunkDefinition(chunker, member, `${symbol}.`))];
}

/**
 * Definitions in order, none starting before the end of the one before it or outside `within`; each takes over the
 * comment lines right above it.
 */
function tidy({ source, outline }: Chunker, definitions: readonly Definition[], within: Range): Definition[] {
  const kept: Definition[] = [];
  let free = within.startLine;
  for (const definition of definitions) {
    if (definition.startLine < free) continue;
    let startLine = definition.startLine;
    for (let line = startLine - 1; line >= free && isBlankOrComment(line); line--) {
      if (outline.commentLines.has(line)) startLine = line;
    }
    kept.push({ ...definition, startLine });
    free = definition.endLine + 1;
  }
  return kept;

  function isBlankOrComment(line: number): boolean {
    return outline.commentLines.has(line) || source[line - 1]?.trim() === "";
  }
}

/** The ranges of `within` that no definition covers. */
function gaps(definitions: readonly Range[], within: Range): Range[] {
  const starts = [within.startLine, ...definitions.map(({ endLine }) => endLine + 1)];
  const ends = [...definitions.map(({ startLine }) => startLine - 1), within.endLine];
  return starts.flatMap((startLine, index) => {
    const endLine = ends[index] ?? 0;
    return startLine <= endLine ? [{ startLine, endLine }] : [];
  });
}

function toChunks({ path, source, outline }: Chunker, range: Range, kind: Chunk["kind"], symbol: string): Chunk[] {
  return splitRange(range, outline.statements)
    .map((part) => trimBlank(source, part))
    .filter((part) => part !== null)
    .map(({ startLine, endLine }) => {
      return { path, startLine, endLine, kind, symbol, text: source.slice(startLine - 1, endLine).join("\n") };
    });
}

/** Without blank lines at either end; null when there is nothing else. */
function trimBlank(source: readonly string[], { startLine, endLine }: Range): Range | null {
  let [start, end] = [startLine, endLine];
  while (start <= end && source[start - 1]?.trim() === "") start++;
  while (end >= start && source[end - 1]?.trim() === "") end--;
  return start <= end ? { startLine: start, endLine: end } : null;
}

function moduleName(path: string): string {
  const stem = posix.basename(path).replace(/\.[^.]+$/, "");
  return stem === "__init__" ? posix.basename(posix.dirname(path)) || stem : stem;
}
