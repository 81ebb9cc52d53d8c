import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "./sandbox/processes.ts";

/** A new, empty folder of this process below the system's temporary folder. Its owner removes it. */
export async function makeTemporaryFolder(kind: "run" | "job" | "proxy"): Promise<string> {
  return await mkdtemp(join(tmpdir(), `repgen-${kind}-${process.pid}-`));
}

/** Removes the folders of processes that were killed before they could. Never throws. */
export async function removeStaleFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const stale = names.filter((name) => {
    const owner = /^repgen-(?:run|job|proxy)-(\d+)-/.exec(name)?.[1];
    return owner !== undefined && !isAlive(Number(owner));
  });
  await Promise.all(stale.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {})));
}
