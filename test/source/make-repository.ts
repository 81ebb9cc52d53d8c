import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that goes away with the test. */
export function makeFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "repgen-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, files);
  return folder;
}

export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export interface TestRepository {
  folder: string;
  git(...args: string[]): string;
  /** Runs git with `input` on its standard input. */
  gitWith(input: string | Buffer, ...args: string[]): string;
  write(files: Record<string, string>): void;
  link(path: string, target: string): void;
  makeExecutable(path: string): void;
  /** Commits everything in the folder; returns the commit. */
  commit(message?: string): string;
  /** Commits a tree of the given entries, with any names; returns the commit. */
  commitTree(entries: { mode: string; type: string; id: string; name: string | Buffer }[]): string;
  blob(text: string): string;
}

/** A git repository with one branch, `main`. */
export function makeRepository(files: Record<string, string> = {}): TestRepository {
  const folder = makeFolder(files);
  const gitWith = (input: string | Buffer, ...args: string[]) =>
    execFileSync("git", args, {
      cwd: folder,
      input,
      encoding: "utf8",
      env: environment,
      stdio: ["pipe", "pipe", "pipe"],
    }).trim();
  const git = (...args: string[]) => gitWith("", ...args);
  git("init", "--quiet", "--initial-branch=main");
  const repository: TestRepository = {
    folder,
    git,
    gitWith,
    write: (more) => writeFiles(folder, more),
    link: (path, target) => symlinkSync(target, join(folder, path)),
    makeExecutable: (path) => chmodSync(join(folder, path), 0o755),
    commit(message = "change") {
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "-m", message);
      return git("rev-parse", "HEAD");
    },
    commitTree(entries) {
      const records = entries.map(({ mode, type, id, name }) =>
        Buffer.concat([Buffer.from(`${mode} ${type} ${id}\t`), Buffer.from(name), Buffer.from([0])]),
      );
      const tree = gitWith(Buffer.concat(records), "mktree", "-z", "--missing");
      const commit = git("commit-tree", "-m", "tree", tree);
      git("update-ref", "refs/heads/main", commit);
      return commit;
    },
    blob: (text) => gitWith(text, "hash-object", "-w", "--stdin"),
  };
  if (Object.keys(files).length > 0) repository.commit();
  return repository;
}

const environment = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_AUTHOR_DATE: "2024-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org",
  GIT_COMMITTER_DATE: "2024-01-01T00:00:00Z",
};
