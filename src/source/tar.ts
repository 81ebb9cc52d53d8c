import { setImmediate as nextTurn } from "node:timers/promises";
import { Parser, type ReadEntry } from "tar";
import { RepositoryFault } from "../errors.ts";
import type { TreeLimits } from "./limits.ts";
import type { TreeEntry } from "./write-tree.ts";

const SLICE_BYTES = 1024 ** 2;

/**
 * The files and links of a tar archive, packed or not. Files over the limit are told with their size and not kept;
 * hard links are left out.
 * @throws {RepositoryFault} it is no such archive, or has more files or bytes than `limits` allow.
 */
export async function readTar(archive: Buffer, limits: TreeLimits): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  let totalBytes = 0;
  let failure: RepositoryFault | null = null;
  const fail = (what: string, cause?: unknown) => {
    failure ??= new RepositoryFault(`the source distribution ${what}`, { retryable: false, cause });
  };
  const parser = new Parser({ strict: true });
  const ended = new Promise<void>((resolve) =>
    parser.on("end", resolve).on("error", (cause) => {
      fail("cannot be unpacked", cause);
      resolve();
    }),
  );
  parser.on("entry", (entry: ReadEntry) => {
    totalBytes += entry.size;
    if (totalBytes > limits.totalBytes || entries.length >= limits.files) fail("is too large");
    collect(entry, entries, failure === null ? limits.fileBytes : 0);
  });
  for (let start = 0; start < archive.length && failure === null; start += SLICE_BYTES) {
    parser.write(archive.subarray(start, start + SLICE_BYTES));
    await nextTurn();
  }
  if (failure === null) {
    parser.end();
    await ended;
  }
  if (failure !== null) throw failure;
  return entries;
}

function collect(entry: ReadEntry, entries: TreeEntry[], maxBytes: number): void {
  const { path } = entry;
  if (entry.type === "SymbolicLink") entries.push({ is: "link", path, target: entry.linkpath ?? "" });
  if (entry.type === "Link") entries.push({ is: "left-out", path, reason: "unsafe-path" });
  if (entry.type !== "File" && entry.type !== "OldFile") {
    entry.resume();
    return;
  }
  const parts: Buffer[] = [];
  const keep = entry.size <= maxBytes;
  entry.on("data", (part) => {
    if (keep) parts.push(part);
  });
  const executable = ((entry.mode ?? 0) & 0o111) !== 0;
  entries.push({ is: "file", path, executable, sizeBytes: entry.size, read: async () => Buffer.concat(parts) });
}
