import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyNewFiles } from "../../src/environment/generated-files.ts";

let folder = "";
let folders = { from: "", notIn: "", to: "" };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "repgen-test-"));
  folders = { from: join(folder, "from"), notIn: join(folder, "not-in"), to: join(folder, "to") };
  for (const path of Object.values(folders)) await mkdir(path);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(root: string, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), path);
  }
}

async function list(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

describe("copyNewFiles", () => {
  it("copies what one folder has beside the other's, at the same places", async () => {
    await write(folders.notIn, "setup.py", "pkg/a.py");
    await write(
      folders.from,
      "setup.py",
      "pkg/a.py",
      "pkg/fast.so",
      "pkg.egg-info/PKG-INFO",
      "build/x.o",
      "pkg/__pycache__/a.pyc",
    );

    await copyNewFiles(folders);

    expect(await list(folders.to)).toEqual(["pkg.egg-info/PKG-INFO", "pkg/fast.so"]);
  });

  it("copies no links and follows none", async () => {
    await write(folder, "secret/key");
    await symlink(join(folder, "secret"), join(folders.from, "folder"));
    await symlink(join(folder, "secret/key"), join(folders.from, "file"));

    await copyNewFiles(folders);

    expect(await list(folders.to)).toEqual([]);
  });

  it("passes over a folder that took the place of a file or a link", async () => {
    await write(folders.notIn, "module");
    await symlink(folder, join(folders.notIn, "link"));
    await write(folders.from, "module/x", "link/y");

    await copyNewFiles(folders);

    expect(await list(folders.to)).toEqual([]);
  });
});
