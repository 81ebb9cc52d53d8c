import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export const LARGEST_SOURCE_BYTES = 1024 ** 2;

/** Installed packages and tools' folders that people commit by mistake. */
const NOT_SOURCE = new Set([".git", "node_modules", "site-packages", "__pycache__", ".venv", "venv", ".eggs"]);

export interface PythonFiles {
  /** Relative, in order of their names. */
  files: string[];
  skipped: { path: string; reason: string }[];
}

/** Python files and notebooks below `directory`. Links are not followed; they and too large files are told as skipped. */
export async function listPythonFiles(directory: string): Promise<PythonFiles> {
  const found: PythonFiles = { files: [], skipped: [] };
  await walk(directory, "", found);
  return found;
}

async function walk(root: string, below: string, found: PythonFiles): Promise<void> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!NOT_SOURCE.has(entry.name)) await walk(root, path, found);
    } else if (/\.(py|ipynb)$/.test(entry.name)) {
      const { size } = await lstat(join(root, path));
      if (!entry.isFile()) found.skipped.push({ path, reason: "not a plain file" });
      else if (size > LARGEST_SOURCE_BYTES) found.skipped.push({ path, reason: "larger than 1 MB" });
      else found.files.push(path);
    }
  }
}
