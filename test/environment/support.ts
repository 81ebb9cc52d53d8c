import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createBubblewrapSandbox } from "../../src/adapters/bubblewrap-sandbox.ts";
import { loadConfig } from "../../src/config.ts";
import { pipHosts, readPipConfiguration } from "../../src/environment/pip-configuration.ts";
import { type Base, type EnvironmentDeps, prepareBase } from "../../src/environment/prepare-base.ts";
import type { Checkout } from "../../src/types.ts";

export const signal = new AbortController().signal;
export const hasBubblewrap = spawnSync("bwrap", ["--version"]).status === 0;
/** The first test of a machine builds the base environment. */
export const BASE_TIMEOUT_MS = 15 * 60_000;

export interface Bench {
  deps: EnvironmentDeps;
  base: Base;
  /** Folder of this bench alone. */
  folder: string;
  /** A checkout of the given files, path → text. */
  checkout(files: Record<string, string>, commit?: string): Promise<Checkout>;
  remove(): Promise<void>;
}

/** The real sandbox and pip, with a cache that holds the machine's base environment and nothing else. */
export async function createBench(): Promise<Bench> {
  const pip = await readPipConfiguration(signal);
  const sandbox = await createBubblewrapSandbox({ registries: { hosts: pipHosts(pip) } });
  const base = await prepareBase({ sandbox, pip, cacheDirectory: loadConfig().cacheDirectory }, signal);
  const folder = await mkdtemp(join(tmpdir(), "repgen-environment-"));
  const cacheDirectory = join(folder, "cache");
  await linkBase(base, cacheDirectory);
  let count = 0;
  return {
    deps: { sandbox, pip, cacheDirectory },
    base,
    folder,
    checkout: async (files, commit) => {
      count += 1;
      const path = join(folder, `checkout-${count}`);
      for (const [name, text] of Object.entries(files)) await write(join(path, name), text);
      return { path, commit: commit ?? String(count), label: "test", leftOut: [] };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function linkBase(base: Base, cacheDirectory: string): Promise<void> {
  const root = base.mounts.find((mount) => mount.sandboxPath === base.id);
  if (root === undefined) throw new Error("The base has no folder of its own.");
  const layer = dirname(root.hostPath);
  await mkdir(join(cacheDirectory, "environments"), { recursive: true });
  await symlink(layer, join(cacheDirectory, "environments", base.id.slice("/env/".length)));
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
