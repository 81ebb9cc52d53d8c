import { createHash } from "node:crypto";
import { join, matchesGlob } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { IndexKey, LexicalIndex } from "../ports/lexical-index.ts";
import { chunkFile } from "../source/chunk-file.ts";
import { CHUNKING_VERSION } from "../source/chunk-python.ts";
import { listPythonFiles } from "../source/list-files.ts";
import { readPlainFile } from "../source/read-folder.ts";
import type { Checkout, Chunk } from "../types.ts";

export interface IndexedRepository {
  key: IndexKey;
  /** Zero, as `files`, when the index was there already. */
  chunks: number;
  files: number;
  skipped: { path: string; reason: string }[];
}

/** Parses and cuts the Python files of a checkout, without those that match a glob of `leaveOut`, and writes them to the index, unless it has this commit already. */
export async function indexRepository(
  checkout: Checkout,
  { index, leaveOut = [] }: { index: LexicalIndex; leaveOut?: readonly string[] },
  signal: AbortSignal,
): Promise<IndexedRepository> {
  const key = indexKey(checkout, leaveOut);
  if (await index.has(key)) return { key, chunks: 0, files: 0, skipped: [] };

  const { files, skipped } = await listPythonFiles(checkout.path);
  const chunks: Chunk[] = [];
  for (const path of files) {
    signal.throwIfAborted();
    if (leaveOut.some((glob) => matchesGlob(path, glob))) {
      skipped.push({ path, reason: "left out by the project's settings" });
      continue;
    }
    const text = (await readPlainFile(join(checkout.path, path))).toString("utf8");
    const made = text.includes("\0") ? null : await chunkFile(path, text);
    if (made === null) skipped.push({ path, reason: "not source text" });
    else chunks.push(...made);
    await nextTurn();
  }
  signal.throwIfAborted();
  await index.write(key, chunks);
  return { key, chunks: chunks.length, files: files.length, skipped };
}

/** The key of a checkout's index: its repository without the ref, its commit, the way its files are cut, and which are left out. */
export function indexKey(checkout: Pick<Checkout, "label" | "commit">, leaveOut: readonly string[] = []): IndexKey {
  const repository = checkout.label.replace(/(?:@|==)[^@=]*$/, "");
  const without =
    leaveOut.length === 0 ? "" : `-${createHash("sha256").update(JSON.stringify(leaveOut)).digest("hex").slice(0, 12)}`;
  return { repository, commit: `${checkout.commit}+${CHUNKING_VERSION}${without}` };
}
