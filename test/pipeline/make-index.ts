import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createSqliteIndex } from "../../src/adapters/sqlite-index.ts";
import { indexRepository } from "../../src/pipeline/index-repository.ts";
import type { ReadIssue } from "../../src/types.ts";
import { makeFolder } from "../source/make-repository.ts";

/** A checkout of the given files, indexed. */
export async function makeIndexed(files: Record<string, string>) {
  const checkout = {
    path: makeFolder(files),
    commit: "1".repeat(40),
    label: "https://example.org/a@main",
    leftOut: [],
  };
  const index = createSqliteIndex({ file: join(makeFolder(), "index.sqlite") });
  onTestFinished(() => index.close());
  const { key } = await indexRepository(checkout, { index }, new AbortController().signal);
  return { checkout, index, key };
}

export function readOf(read: Partial<ReadIssue>): ReadIssue {
  return {
    sections: [],
    codeBlocks: [],
    runnableCode: null,
    tracebacks: [],
    permalinks: [],
    paths: [],
    identifiers: [],
    versions: {},
    suggestedChanges: [],
    worksIn: [],
    ...read,
  };
}
