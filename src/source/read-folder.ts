import { constants } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { TreeEntry } from "./write-tree.ts";

/** Folders that tools leave behind in a project; never part of it. */
const NOT_THE_PROJECT = new Set([".git", ".hg", "__pycache__", "node_modules", ".tox", ".venv", ".mypy_cache"]);

/**
 * The files and links of a folder that is not versioned, in order of their names. Links are not followed; what is
 * neither file nor link is passed over, and so are virtual environments.
 */
export async function* readFolder(root: string, below = ""): AsyncGenerator<TreeEntry> {
  const names = await readdir(join(root, below), { encoding: "buffer" });
  names.sort(Buffer.compare);
  if (names.some((name) => name.toString("utf8") === "pyvenv.cfg")) return;
  for (const name of names) {
    const text = name.toString("utf8");
    const path = below === "" ? text : `${below}/${text}`;
    if (!Buffer.from(text).equals(name)) {
      yield { is: "left-out", path, reason: "not-utf8" };
      continue;
    }
    const found = await lstat(join(root, path));
    if (found.isSymbolicLink()) yield { is: "link", path, target: await readlink(join(root, path)) };
    else if (found.isDirectory() && !NOT_THE_PROJECT.has(text)) yield* readFolder(root, path);
    else if (found.isFile()) {
      const executable = (found.mode & 0o111) !== 0;
      yield { is: "file", path, executable, sizeBytes: found.size, read: () => readPlainFile(join(root, path)) };
    }
  }
}

/** Reads a file; fails for a link. */
export async function readPlainFile(path: string): Promise<Buffer> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  return await file.readFile();
}
