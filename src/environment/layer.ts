import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import type { SandboxMount } from "../ports/sandbox.ts";
import { withLock } from "./lock.ts";

/** Part of every layer's name; another one for another way of building. */
const FORMAT = 1;

/**
 * A finished part of an environment, named by what it is made of and never changed again:
 * `root/` is what the sandbox sees at `sandboxPath`, `facts.json` what is known of it. Only `root/` and the folders of
 * a draft are ever writable from inside a sandbox.
 */
export interface Layer<Facts> {
  sandboxPath: string;
  mount: SandboxMount;
  /** Folder on this host that holds the layer. */
  hostPath: string;
  facts: Facts;
}

/** A layer while it is built. */
export interface Draft {
  sandboxPath: string;
  /** Writable: the layer itself, and `/build` for temporary files. */
  mounts: SandboxMount[];
  /** Folder on this host; what is put beside `root/` becomes part of the layer. */
  hostPath: string;
  /** `/build` on this host; gone when the layer is done. */
  buildHostPath: string;
}

export interface LayerRecipe<Facts> {
  /** All that decides the layer's content. */
  madeOf: unknown;
  facts: z.ZodType<Facts>;
  build(draft: Draft): Promise<Facts>;
}

/** The layer from the cache, or built: once, however many ask for it, and never seen unfinished. */
export async function ensureLayer<Facts>(
  recipe: LayerRecipe<Facts>,
  cacheDirectory: string,
  signal: AbortSignal,
): Promise<Layer<Facts>> {
  const id = createHash("sha256")
    .update(JSON.stringify([FORMAT, recipe.madeOf]))
    .digest("hex")
    .slice(0, 24);
  const folder = join(cacheDirectory, "environments");
  const found = await readLayer(recipe, folder, id);
  if (found) return found;
  const locks = join(cacheDirectory, "locks");
  await mkdir(folder, { recursive: true });
  await mkdir(locks, { recursive: true });
  return withLock(
    join(locks, `${id}.lock`),
    async () => (await readLayer(recipe, folder, id)) ?? (await buildLayer(recipe, folder, id)),
    signal,
  );
}

async function readLayer<Facts>(recipe: LayerRecipe<Facts>, folder: string, id: string): Promise<Layer<Facts> | null> {
  const hostPath = join(folder, id);
  const text = await readFile(join(hostPath, "facts.json"), "utf8").catch(() => null);
  if (text === null) return null;
  const sandboxPath = `/env/${id}`;
  return {
    sandboxPath,
    mount: { hostPath: join(hostPath, "root"), sandboxPath, writable: false },
    hostPath,
    facts: recipe.facts.parse(JSON.parse(text)),
  };
}

async function buildLayer<Facts>(recipe: LayerRecipe<Facts>, folder: string, id: string): Promise<Layer<Facts>> {
  await removeDrafts(folder, id);
  const hostPath = join(folder, `${id}.draft-${randomUUID()}`);
  try {
    const draft = await createDraft(hostPath, `/env/${id}`);
    const facts = await recipe.build(draft);
    await rm(draft.buildHostPath, { recursive: true, force: true });
    await writeFile(join(hostPath, "facts.json"), JSON.stringify(facts));
    await rename(hostPath, join(folder, id));
    const layer = await readLayer(recipe, folder, id);
    if (layer === null) throw new Error(`The environment ${id} was removed while it was built.`);
    return layer;
  } finally {
    await rm(hostPath, { recursive: true, force: true });
  }
}

async function createDraft(hostPath: string, sandboxPath: string): Promise<Draft> {
  const root = join(hostPath, "root");
  const buildHostPath = join(hostPath, "build");
  await mkdir(hostPath);
  await mkdir(root);
  await mkdir(buildHostPath);
  const mounts = [
    { hostPath: root, sandboxPath, writable: true },
    { hostPath: buildHostPath, sandboxPath: "/build", writable: true },
  ];
  return { sandboxPath, mounts, hostPath, buildHostPath };
}

/** Under the lock, drafts of this layer are of builds that were killed. */
async function removeDrafts(folder: string, id: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names.filter((name) => name.startsWith(`${id}.draft-`))) {
    await rm(join(folder, name), { recursive: true, force: true });
  }
}
