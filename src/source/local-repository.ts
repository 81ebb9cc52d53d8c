import { lstat, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { RepositoryFault } from "../errors.ts";
import { git, gitText } from "./git.ts";
import { checkRef, findRef, isAbbreviatedId, parseRefs, type Refs, unknownRef } from "./refs.ts";

/** A commit and where its objects are. */
export interface FoundCommit {
  commit: string;
  /** Absolute. */
  objectDirectory: string;
}

/**
 * The git directory of a folder that an operator names: its `.git`, or itself when it is bare.
 * Null for a folder that is not versioned.
 * @throws {RepositoryFault} there is no such folder.
 */
export async function findGitDirectory(folder: string, signal: AbortSignal): Promise<string | null> {
  const found = await stat(folder).catch(() => null);
  if (!found?.isDirectory()) throw new RepositoryFault(`there is no folder ${folder}`, { retryable: false });
  const dotGit = join(folder, ".git");
  const inside = await lstat(dotGit).catch(() => null);
  if (inside?.isDirectory()) return dotGit;
  if (inside?.isFile()) {
    return resolve(folder, await gitText(["rev-parse", "--resolve-git-dir", dotGit], {}, signal));
  }
  const bare = await Promise.all(["HEAD", "objects", "refs"].map((name) => stat(join(folder, name)).catch(() => null)));
  return bare[0]?.isFile() && bare[1]?.isDirectory() && bare[2]?.isDirectory() ? resolve(folder) : null;
}

/**
 * The commit that `ref` names in a git directory; that of HEAD for null.
 * @throws {RepositoryFault} there is no such ref, it is ambiguous, or HEAD has no commit.
 */
export async function findLocalCommit(
  { gitDirectory, ref }: { gitDirectory: string; ref: string | null },
  signal: AbortSignal,
): Promise<FoundCommit> {
  const options = { gitDirectory };
  const objects = await gitText(["rev-parse", "--git-path", "objects"], options, signal);
  const objectDirectory = resolve("/", objects);
  if (ref === null) {
    const head = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], options, signal);
    if (head.exitCode !== 0) throw new RepositoryFault("HEAD has no commit yet", { retryable: false });
    return { commit: head.stdout.toString("utf8").trim(), objectDirectory };
  }

  checkRef(ref);
  const refs = await listRefs(gitDirectory, signal);
  const name = findRef(refs, ref) ?? (isAbbreviatedId(ref) ? ref : null);
  if (name === null) throw unknownRef(refs, ref);
  const revision = await git(["rev-parse", "--verify", "--end-of-options", `${name}^{commit}`], options, signal);
  if (revision.exitCode !== 0) {
    if (/ambiguous/.test(revision.stderr)) {
      throw new RepositoryFault(`${ref} names more than one commit`, { retryable: false });
    }
    throw unknownRef(refs, ref);
  }
  return { commit: revision.stdout.toString("utf8").trim().split("\n").at(-1) ?? "", objectDirectory };
}

async function listRefs(gitDirectory: string, signal: AbortSignal): Promise<Refs> {
  return parseRefs(await gitText(["for-each-ref", "--format=%(objectname) %(refname)"], { gitDirectory }, signal));
}
