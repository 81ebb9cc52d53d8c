import { join } from "node:path";
import { pointsAtProse } from "../issue/points-at-prose.ts";
import { listPythonFiles } from "../source/list-files.ts";
import { matchPath } from "../source/match-path.ts";
import { readPlainFile } from "../source/read-folder.ts";
import type { Checkout, ReadIssue, Triage } from "../types.ts";

/**
 * The triage that needs the checkout: a report without code and without an error, all of whose links lead to comments
 * and docstrings, is about the documentation.
 */
export async function triageByLinks(
  read: ReadIssue,
  checkout: Checkout,
): Promise<Exclude<Triage, { is: "bug" }> | null> {
  if (read.runnableCode !== null || read.tracebacks.length > 0 || read.permalinks.length === 0) return null;
  const { files } = await listPythonFiles(checkout.path);
  const sources = new Map<string, string>();
  for (const { path } of read.permalinks) {
    const file = matchPath(path, files);
    if (file !== null) sources.set(path, (await readPlainFile(join(checkout.path, file))).toString("utf8"));
  }
  if (!pointsAtProse(read.permalinks, (path) => sources.get(path) ?? null)) return null;
  return {
    is: "not-a-bug",
    why: "The lines that the report links to are comments and docstrings; it is about the documentation.",
  };
}
