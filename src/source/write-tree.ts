import { createHash } from "node:crypto";
import { mkdir, open, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RepositoryFault } from "../errors.ts";
import type { LeftOut } from "../types.ts";
import type { TreeLimits } from "./limits.ts";
import { isSafePath, leadsOutside } from "./safe-path.ts";

/** One entry of a tree from outside. Nothing about it is trusted. */
export type TreeEntry =
  | {
      is: "file";
      path: string;
      executable: boolean;
      sizeBytes: number;
      read: () => Promise<Buffer | LeftOut["reason"]>;
    }
  | { is: "link"; path: string; target: string }
  | { is: "left-out"; path: string; reason: LeftOut["reason"] };

export interface WrittenTree {
  leftOut: LeftOut[];
  /** SHA-1 of paths, modes and contents, in an order of its own. */
  digest: string;
}

const LFS_POINTER = Buffer.from("version https://git-lfs.github.com/spec/");
const LFS_POINTER_BYTES = 1024;

/**
 * Writes entries below `directory`, which must be empty and ours. Links come last, so that no file is ever written
 * through one.
 * @throws {RepositoryFault} more files or bytes than `limits` allow.
 */
export async function writeTree(
  { directory, entries, limits }: { directory: string; entries: AsyncIterable<TreeEntry>; limits: TreeLimits },
  signal: AbortSignal,
): Promise<WrittenTree> {
  const leftOut: LeftOut[] = [];
  const written = new Map<string, string>();
  const links = new Map<string, string>();
  let totalBytes = 0;
  for await (const entry of entries) {
    signal.throwIfAborted();
    const refused = refusal(entry, limits);
    if (refused !== null) leftOut.push({ path: entry.path, reason: refused });
    else if (entry.is === "link") links.set(entry.path, entry.target);
    else if (entry.is === "file") {
      totalBytes += entry.sizeBytes;
      if (totalBytes > limits.totalBytes) throw tooMuch(`${limits.totalBytes} bytes`);
      if (written.size >= limits.files) throw tooMuch(`${limits.files} files`);
      const outcome = await writeFile(directory, entry);
      if (typeof outcome === "string") leftOut.push({ path: entry.path, reason: outcome });
      else written.set(entry.path, `${entry.executable ? "x" : "-"} ${sha1(outcome)}`);
    }
  }
  await writeLinks({ directory, links, leftOut, written });
  leftOut.sort((a, b) => (a.path < b.path ? -1 : 1));
  const lines = [...written].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, what]) => `${what} ${path}\0`);
  return { leftOut, digest: sha1(lines.join("")) };
}

function refusal(entry: TreeEntry, limits: TreeLimits): LeftOut["reason"] | null {
  if (entry.is === "left-out") return entry.reason;
  if (!isSafePath(entry.path)) return "unsafe-path";
  if (entry.is === "file" && entry.sizeBytes > limits.fileBytes) return "too-large";
  return null;
}

async function writeFile(
  directory: string,
  entry: Extract<TreeEntry, { is: "file" }>,
): Promise<Buffer | LeftOut["reason"]> {
  const bytes = await entry.read();
  if (typeof bytes === "string") return bytes;
  if (bytes.length < LFS_POINTER_BYTES && bytes.subarray(0, LFS_POINTER.length).equals(LFS_POINTER)) {
    return "lfs-pointer";
  }
  const path = join(directory, entry.path);
  try {
    await mkdir(dirname(path), { recursive: true });
    await using file = await open(path, "wx", entry.executable ? 0o755 : 0o644);
    await file.writeFile(bytes);
  } catch (error) {
    if (isTaken(error)) return "unsafe-path";
    throw error;
  }
  return bytes;
}

async function writeLinks({
  directory,
  links,
  leftOut,
  written,
}: {
  directory: string;
  links: Map<string, string>;
  leftOut: LeftOut[];
  written: Map<string, string>;
}): Promise<void> {
  const folded = new Set([...links.keys()].map(fold));
  for (const [path, target] of links) {
    if (leadsOutside(path, links)) {
      leftOut.push({ path, reason: "link-outside" });
      continue;
    }
    try {
      if (ancestors(fold(path)).some((ancestor) => folded.has(ancestor))) throw new TakenError();
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await symlink(target, join(directory, path));
      written.set(path, `l ${target}`);
    } catch (error) {
      if (!isTaken(error)) throw error;
      leftOut.push({ path, reason: "unsafe-path" });
    }
  }
}

class TakenError extends Error {}

/** Is the place taken by another entry of the same tree (two of one name, a file where a folder has to be). */
function isTaken(error: unknown): boolean {
  if (error instanceof TakenError) return true;
  return error instanceof Error && "code" in error && ["EEXIST", "ENOTDIR", "EISDIR"].includes(String(error.code));
}

function ancestors(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
}

/** As a file system that ignores case compares names. */
function fold(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

function sha1(content: Buffer | string): string {
  return createHash("sha1").update(content).digest("hex");
}

function tooMuch(limit: string): RepositoryFault {
  return new RepositoryFault(`the repository has more than ${limit}`, { retryable: false });
}
