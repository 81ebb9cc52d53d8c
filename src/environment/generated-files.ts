import { copyFile, lstat, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Scratch of a build, not read when the project runs. */
const SCRATCH = new Set(["build", "dist", "__pycache__", ".git", ".eggs"]);

/**
 * Copies the plain files that one folder has and another does not, at the same places below `to`. Both folders may be
 * hostile: links are never followed nor copied, and a file of one where the other has a folder is passed over.
 */
export async function copyNewFiles(folders: { from: string; notIn: string; to: string }): Promise<void> {
  for (const entry of await readdir(folders.from, { withFileTypes: true })) {
    const [from, notIn, to] = [folders.from, folders.notIn, folders.to].map((folder) => join(folder, entry.name));
    if (from === undefined || notIn === undefined || to === undefined || SCRATCH.has(entry.name)) continue;
    const there = await lstat(notIn).catch(() => null);
    if (entry.isFile() && there === null) {
      await mkdir(folders.to, { recursive: true });
      await copyFile(from, to);
    } else if (entry.isDirectory() && (there === null || there.isDirectory())) {
      await copyNewFiles({ from, notIn, to });
    }
  }
}
