import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { RepositoryFault } from "../errors.ts";
import type { LeftOut } from "../types.ts";
import { type BlobReader, openBlobReader } from "./blob-reader.ts";
import { firstLine, git, gitText } from "./git.ts";
import type { FoundCommit } from "./local-repository.ts";
import type { TreeEntry } from "./write-tree.ts";

export interface ReadCommitRequest extends FoundCommit {
  /** For a scratch git directory while the commit is read. */
  temporaryDirectory: string;
  /** What to call an object that is not there. */
  missing: LeftOut["reason"];
}

/**
 * The files and links of a commit. Objects are read through an empty git directory of ours: the configuration of the
 * repository they come from (filters, promisor remotes, alternates' hooks) plays no part.
 * @throws {RepositoryFault} the commit's own trees are not there.
 */
export async function* readCommit(request: ReadCommitRequest, signal: AbortSignal): AsyncGenerator<TreeEntry> {
  const scratch = await mkdtemp(join(request.temporaryDirectory, "objects-"));
  try {
    const format = request.commit.length === 64 ? "sha256" : "sha1";
    await gitText(["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, "--", scratch], {}, signal);
    const options = { gitDirectory: scratch, objectDirectory: request.objectDirectory };
    const listing = await git(["ls-tree", "-r", "-z", "-l", "--full-tree", request.commit], options, signal);
    if (listing.exitCode !== 0) {
      throw new RepositoryFault(`commit ${request.commit} is incomplete: ${firstLine(listing.stderr)}`, {
        retryable: false,
      });
    }
    await using reader = openBlobReader(options, signal);
    for (const record of splitRecords(listing.stdout)) yield await toEntry(record, reader, request.missing);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface TreeRecord {
  mode: string;
  id: string;
  /** Null when git does not have the object. */
  sizeBytes: number | null;
  path: Buffer;
}

function* splitRecords(listing: Buffer): Generator<TreeRecord> {
  for (let start = 0; start < listing.length; ) {
    const end = listing.indexOf(0, start);
    const tab = listing.indexOf(9, start);
    const [mode = "", , id = "", size = ""] = listing.toString("latin1", start, tab).split(/ +/);
    yield { mode, id, sizeBytes: /^\d+$/.test(size) ? Number(size) : null, path: listing.subarray(tab + 1, end) };
    start = end + 1;
  }
}

const LONGEST_LINK_BYTES = 4096;

async function toEntry(record: TreeRecord, reader: BlobReader, missing: LeftOut["reason"]): Promise<TreeEntry> {
  const { mode, id, sizeBytes } = record;
  const path = decode(record.path);
  if (path === null) return { is: "left-out", path: record.path.toString("utf8"), reason: "not-utf8" };
  if (mode === "160000") return { is: "left-out", path, reason: "submodule" };
  if (sizeBytes === null) return { is: "left-out", path, reason: missing };
  if (mode !== "120000") {
    const read = async () => (await reader.read(id)) ?? missing;
    return { is: "file", path, executable: mode === "100755", sizeBytes, read };
  }
  if (sizeBytes > LONGEST_LINK_BYTES) return { is: "left-out", path, reason: "unsafe-path" };
  const bytes = await reader.read(id);
  if (bytes === null) return { is: "left-out", path, reason: missing };
  const target = decode(bytes);
  return target === null || target === "" || target.includes("\0")
    ? { is: "left-out", path, reason: "unsafe-path" }
    : { is: "link", path, target };
}

/** Null for bytes that are not UTF-8. */
function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
