import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeTemporaryFolder, removeStaleFolders } from "../src/temporary-folder.ts";

describe("removeStaleFolders", () => {
  it("removes what dead processes left, and nothing else", async () => {
    const noSuchProcess = 4_194_305;
    const stale = join(tmpdir(), `repgen-run-${noSuchProcess}-abc`);
    const foreign = join(tmpdir(), `repgen-other-${noSuchProcess}-abc`);
    for (const folder of [stale, foreign]) mkdirSync(join(folder, "deep"), { recursive: true });
    const own = await makeTemporaryFolder("job");

    await removeStaleFolders();

    expect([stale, foreign, own].map((folder) => existsSync(folder))).toEqual([false, true, true]);
    for (const folder of [foreign, own]) rmSync(folder, { recursive: true });
  });
});
