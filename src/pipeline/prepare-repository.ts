import { mkdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type PipConfiguration, pipIndexes } from "../environment/pip-configuration.ts";
import { RepositoryFault } from "../errors.ts";
import { TREE_LIMITS, type TreeLimits } from "../source/limits.ts";
import { type FoundCommit, findGitDirectory, findLocalCommit } from "../source/local-repository.ts";
import { pypiRelease, readSdist } from "../source/pypi.ts";
import { readCommit } from "../source/read-commit.ts";
import { readFolder } from "../source/read-folder.ts";
import { fetchRemoteCommit, type RepositoryAccess, withoutCredentials } from "../source/remote-repository.ts";
import { type StoredCheckout, storeCheckout } from "../source/store-checkout.ts";
import { writeTree } from "../source/write-tree.ts";
import type { Checkout, LeftOut, RepositorySource } from "../types.ts";

export interface PrepareRepositoryDeps {
  /** Absolute; mirrors and checkouts are kept here and used again. */
  cacheDirectory: string;
  onProgress?: (text: string) => void;
  /** For private repositories. */
  repositoryAccess?: RepositoryAccess | null;
  /** Where releases come from. */
  pip: PipConfiguration;
  limits?: TreeLimits;
}

/**
 * Writes the files of one commit, release or folder into a folder of their own, or finds them there from before.
 * Nothing of the repository is executed. A folder that is versioned is read at its HEAD or at the ref: what is not
 * committed is not included. Safe from several processes.
 * @throws {RepositoryFault} the repository or the ref cannot be had, or it is too large.
 */
export async function prepareRepository(
  source: RepositorySource,
  deps: PrepareRepositoryDeps,
  signal: AbortSignal,
): Promise<Checkout> {
  signal.throwIfAborted();
  await mkdir(deps.cacheDirectory, { recursive: true });
  if (source.from === "pypi") return await prepareRelease(source, deps, signal);
  const { url } = source;
  if (/^-|\0/.test(url) || url.trim() === "") {
    throw new RepositoryFault(`${JSON.stringify(url)} is not a repository`, { retryable: false });
  }
  if (/^(https|file):\/\//.test(url)) return await prepareRemote({ url, ref: source.ref }, deps, signal);
  if (/^[A-Za-z][A-Za-z0-9+.-]*::?\/\/|^[^/]+@[^/]+:|^[A-Za-z0-9]+::/.test(url)) {
    throw new RepositoryFault(`${withoutCredentials(url)}: repositories are read by https:// or from a folder`, {
      retryable: false,
    });
  }
  return await prepareLocal({ folder: resolve(url), ref: source.ref }, deps, signal);
}

async function prepareRemote(
  { url, ref }: { url: string; ref: string | null },
  deps: PrepareRepositoryDeps,
  signal: AbortSignal,
): Promise<Checkout> {
  const mirrorsDirectory = join(deps.cacheDirectory, "mirrors");
  const { onProgress, repositoryAccess: access } = deps;
  const found = await fetchRemoteCommit({ url, ref, access, mirrorsDirectory, onProgress }, signal);
  const stored = await storeCommit({ ...found, missing: "too-large" }, deps, signal);
  return { ...stored, label: `${withoutCredentials(url)}@${tellRef(ref, found.commit)}` };
}

async function prepareLocal(
  { folder, ref }: { folder: string; ref: string | null },
  deps: PrepareRepositoryDeps,
  signal: AbortSignal,
): Promise<Checkout> {
  const gitDirectory = await findGitDirectory(folder, signal);
  if (gitDirectory === null) {
    if (ref !== null)
      throw new RepositoryFault(`${folder} is not versioned and has no ref ${ref}`, { retryable: false });
    return await prepareFolder(folder, deps, signal);
  }
  const found = await findLocalCommit({ gitDirectory, ref }, signal);
  deps.onProgress?.(`${folder} at ${shortId(found.commit)}; changes that are not committed are not included`);
  const stored = await storeCommit({ ...found, missing: "missing-object" }, deps, signal);
  return { ...stored, label: `${basename(folder)}@${tellRef(ref, found.commit)}` };
}

async function storeCommit(
  found: FoundCommit & { missing: LeftOut["reason"] },
  { cacheDirectory, limits = TREE_LIMITS }: PrepareRepositoryDeps,
  signal: AbortSignal,
): Promise<StoredCheckout> {
  const identity = JSON.stringify([found.objectDirectory, found.commit, limits]);
  return await storeCheckout(cacheDirectory, identity, async (directory) => {
    const entries = readCommit({ ...found, temporaryDirectory: cacheDirectory }, signal);
    const { leftOut } = await writeTree({ directory, entries, limits }, signal);
    return { commit: found.commit, leftOut };
  });
}

/** Read anew each time, because only its contents tell whether it is the same. */
async function prepareFolder(
  folder: string,
  { cacheDirectory, onProgress, limits = TREE_LIMITS }: PrepareRepositoryDeps,
  signal: AbortSignal,
): Promise<Checkout> {
  onProgress?.(`${folder} is not versioned; it is read as it is`);
  const stored = await storeCheckout(cacheDirectory, null, async (directory) => {
    const { digest, leftOut } = await writeTree({ directory, entries: readFolder(folder), limits }, signal);
    return { commit: digest, leftOut };
  });
  return { ...stored, label: `${basename(folder)}@${shortId(stored.commit)}` };
}

async function prepareRelease(
  { name, version }: { name: string; version: string },
  { cacheDirectory, onProgress, pip, limits = TREE_LIMITS }: PrepareRepositoryDeps,
  signal: AbortSignal,
): Promise<Checkout> {
  const label = pypiRelease(name, version);
  const stored = await storeCheckout(cacheDirectory, JSON.stringify([label, limits]), async (directory) => {
    onProgress?.(`${label} from the package index`);
    const entries = readSdist({ name, version, indexes: pipIndexes(pip), limits }, signal);
    const { digest, leftOut } = await writeTree({ directory, entries, limits }, signal);
    return { commit: digest, leftOut };
  });
  return { ...stored, label };
}

function tellRef(ref: string | null, commit: string): string {
  return ref === null || ref === commit ? shortId(commit) : ref;
}

function shortId(commit: string): string {
  return commit.slice(0, 12);
}
