import { statSync } from "node:fs";
import { resolve } from "node:path";
import { UsageFault } from "../errors.ts";
import type { Forge } from "../ports/forge.ts";
import type { Issue, RepositorySource } from "../types.ts";
import type { Io } from "./io.ts";

/**
 * Where the project comes from: `--repo`, else the issue's own repository.
 * @throws {UsageFault} neither is there, or `--repo` is none of what it may be.
 */
export function readRepositoryArgument(
  options: { repo?: string; ref?: string },
  issue: Issue,
  io: Io,
  forge: Forge,
): RepositorySource {
  const { repo, ref = null } = options;
  if (repo === undefined) {
    if (issue.repository !== null) return { from: "git", url: forge.cloneUrl(issue.repository), ref };
    throw new UsageFault(
      "The issue does not say which repository it is of. Add --repo FOLDER, --repo URL or --repo pypi:NAME==VERSION.",
    );
  }
  if (repo.startsWith("pypi:")) {
    const match = /^pypi:([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9][A-Za-z0-9.!+_-]*)$/.exec(repo);
    if (match?.[1] === undefined || match[2] === undefined) {
      throw new UsageFault(`--repo ${repo} is not a release. Write --repo pypi:NAME==VERSION.`);
    }
    if (ref !== null) throw new UsageFault("--ref does not go with --repo pypi:…; the version says which code it is.");
    return { from: "pypi", name: match[1], version: match[2] };
  }
  if (/^(https|file):\/\//.test(repo)) return { from: "git", url: repo, ref };
  if (/^[a-z+]+:\/\/|^[\w.-]+@[\w.-]+:/i.test(repo)) {
    throw new UsageFault(`--repo ${repo}: repositories are read by https:// or from a folder.`);
  }
  const folder = resolve(io.cwd, repo);
  if (repo === "" || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageFault(`--repo ${repo}: there is no such folder.`);
  }
  return { from: "git", url: folder, ref };
}
