import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { DefectFault } from "../errors.ts";
import type { IndexKey, LexicalIndex } from "../ports/lexical-index.ts";
import type { Chunk } from "../types.ts";
import { codeTokens, queryTokens } from "./code-tokens.ts";

const SQLITE_BUSY = 5;
const BUSY_MS = 5_000;
const ROWS_A_TURN = 200;
/** How much a word counts in the symbol, in the path and in the text. */
const WEIGHTS = "8.0, 3.0, 1.0";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS commits (
    id INTEGER PRIMARY KEY, repository TEXT NOT NULL, commit_id TEXT NOT NULL, UNIQUE (repository, commit_id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY, commit_row INTEGER NOT NULL, path TEXT NOT NULL, start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL, kind TEXT NOT NULL, symbol TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS chunks_by_path ON chunks (commit_row, path, start_line);
  CREATE INDEX IF NOT EXISTS chunks_by_name ON chunks (commit_row, name);
`;
const COLUMNS = "chunks.path, chunks.start_line, chunks.end_line, chunks.kind, chunks.symbol, chunks.text";

/**
 * An index in one SQLite file for all commits of a machine. Each commit has an FTS5 table of its own, so that BM25
 * counts words within that commit only. A commit's row is written in the transaction of its chunks: it is there
 * exactly when they all are.
 */
export function createSqliteIndex({ file }: { file: string }): LexicalIndex {
  mkdirSync(dirname(file), { recursive: true });
  const database = open(file);
  let writing: Promise<unknown> = Promise.resolve();

  function find(key: IndexKey): number | null {
    const sql = "SELECT id FROM commits WHERE repository = ? AND commit_id = ?";
    const row = database.prepare(sql).get(key.repository, key.commit);
    return typeof row?.id === "number" ? row.id : null;
  }

  function select(key: IndexKey, where: string, ...values: SQLInputValue[]): Chunk[] {
    const commit = find(key);
    if (commit === null) return [];
    const sql = `SELECT ${COLUMNS} FROM chunks WHERE commit_row = ? AND ${where} ORDER BY path, start_line`;
    return database
      .prepare(sql)
      .all(commit, ...values)
      .map(toChunk);
  }

  return {
    async has(key) {
      return find(key) !== null;
    },
    async write(key, chunks) {
      const mine = writing.then(() => writeCommit(file, key, chunks));
      writing = mine.catch(() => {});
      await mine;
    },
    async search(key, text, limit) {
      const commit = find(key);
      const query = queryTokens(text)
        .map((token) => `"${token}"`)
        .join(" OR ");
      if (commit === null || query === "" || limit < 1) return [];
      const words = `words_${commit}`;
      const rows = database
        .prepare(
          `SELECT ${COLUMNS}, -bm25(${words}, ${WEIGHTS}) AS score FROM ${words}
           JOIN chunks ON chunks.id = ${words}.rowid WHERE ${words} MATCH ?
           ORDER BY score DESC, chunks.path, chunks.start_line LIMIT ?`,
        )
        .all(query, Math.floor(limit));
      return rows.map((row) => ({ chunk: toChunk(row), score: Number(row.score) }));
    },
    async definitions(key, name) {
      const chunks = select(key, "name = ? AND kind <> 'module'", lastName(name));
      return chunks.filter(({ symbol }) => symbol === name || symbol.endsWith(`.${name}`));
    },
    async file(key, path) {
      return select(key, "path = ?", path);
    },
    async close() {
      await writing;
      if (database.isOpen) database.close();
    },
  };
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  database.exec(SCHEMA);
  return database;
}

/**
 * Writes a commit on a connection of its own, a slice at a time: others read meanwhile, and this process does other
 * things. Nothing to do when another process was first.
 */
async function writeCommit(file: string, key: IndexKey, chunks: readonly Chunk[]): Promise<void> {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    while (!begin(database)) await delay(50);
    const added = database
      .prepare("INSERT INTO commits (repository, commit_id) VALUES (?, ?) ON CONFLICT DO NOTHING")
      .run(key.repository, key.commit);
    if (added.changes !== 0) await insertChunks(database, Number(added.lastInsertRowid), chunks);
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}

function begin(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

async function insertChunks(database: DatabaseSync, commit: number, chunks: readonly Chunk[]): Promise<void> {
  const words = `words_${commit}`;
  database.exec(
    `CREATE VIRTUAL TABLE ${words} USING fts5(symbol, path, text, content = '', tokenize = "unicode61 tokenchars '_.'")`,
  );
  const row = database.prepare(
    `INSERT INTO chunks (commit_row, path, start_line, end_line, kind, symbol, name, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const wordsOf = database.prepare(`INSERT INTO ${words} (rowid, symbol, path, text) VALUES (?, ?, ?, ?)`);
  for (const [index, { path, startLine, endLine, kind, symbol, text }] of chunks.entries()) {
    const { lastInsertRowid } = row.run(commit, path, startLine, endLine, kind, symbol, lastName(symbol), text);
    wordsOf.run(lastInsertRowid, ...[symbol, path, text].map((part) => codeTokens(part).join(" ")));
    if (index % ROWS_A_TURN === ROWS_A_TURN - 1) await nextTurn();
  }
}

function toChunk(row: Record<string, unknown>): Chunk {
  const { path, start_line: startLine, end_line: endLine, kind, symbol, text } = row;
  const isChunk =
    typeof path === "string" &&
    typeof startLine === "number" &&
    typeof endLine === "number" &&
    (kind === "function" || kind === "method" || kind === "class" || kind === "module") &&
    typeof symbol === "string" &&
    typeof text === "string";
  if (!isChunk) throw new DefectFault("the index holds a row that is no chunk");
  return { path, startLine, endLine, kind, symbol, text };
}

function lastName(symbol: string): string {
  return symbol.slice(symbol.lastIndexOf(".") + 1);
}
