import type { Chunk } from "../types.ts";

/** Chunks of many commits, found by words (BM25) or by name. */
export interface LexicalIndex {
  /** Is this commit's index there and complete? */
  has(key: IndexKey): Promise<boolean>;
  /** Writes all chunks of a commit in one transaction; replaces an unfinished one. Safe to call twice and from two processes. */
  write(key: IndexKey, chunks: readonly Chunk[]): Promise<void>;
  /** Chunks for free text, best first. The text is data, never query syntax; empty for a text without words. */
  search(key: IndexKey, text: string, limit: number): Promise<{ chunk: Chunk; score: number }[]>;
  /** Chunks whose symbol is `name` or ends in `.name`, exact case. */
  definitions(key: IndexKey, name: string): Promise<Chunk[]>;
  /** Chunks of one file in line order; empty for an unknown one. */
  file(key: IndexKey, path: string): Promise<Chunk[]>;
  close(): Promise<void>;
}

/** Names what was indexed: a repository's commit, under one version of the chunking. */
export interface IndexKey {
  repository: string;
  commit: string;
}
