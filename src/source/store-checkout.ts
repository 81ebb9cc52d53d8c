import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LeftOut } from "../types.ts";

/** What is kept beside the files of a checkout. */
export interface StoredCheckout {
  /** Absolute. */
  path: string;
  commit: string;
  leftOut: LeftOut[];
}

/** Part of every stored checkout's name: another way of writing trees makes other checkouts. */
const WRITING = "1";

/**
 * The checkout stored under `identity`; `write` makes it in an empty folder when there is none. With null it is always
 * written, and stored under the commit that comes of it. It appears whole or not at all, and two processes that make the same one end up with the same one.
 */
export async function storeCheckout(
  cacheDirectory: string,
  identity: string | null,
  write: (directory: string) => Promise<{ commit: string; leftOut: LeftOut[] }>,
): Promise<StoredCheckout> {
  const all = join(cacheDirectory, "checkouts");
  const nameOf = (text: string) => createHash("sha256").update(`${WRITING}\n${text}`).digest("hex").slice(0, 32);
  const stored = identity === null ? null : await load(join(all, nameOf(identity)));
  if (stored !== null) return stored;

  await mkdir(all, { recursive: true });
  const making = await mkdtemp(join(all, "making-"));
  try {
    const files = join(making, "files");
    await mkdir(files);
    const { commit, leftOut } = await write(files);
    await writeFile(join(making, "checkout.json"), JSON.stringify({ commit, leftOut }));
    const place = join(all, nameOf(identity ?? commit));
    await rename(making, place).catch(async (error: unknown) => {
      if ((await load(place)) === null) throw error;
    });
    return { path: join(place, "files"), commit, leftOut };
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

async function load(place: string): Promise<StoredCheckout | null> {
  const text = await readFile(join(place, "checkout.json"), "utf8").catch(() => null);
  if (text === null) return null;
  const { commit, leftOut }: Omit<StoredCheckout, "path"> = JSON.parse(text);
  return { path: join(place, "files"), commit, leftOut };
}
