import { cp } from "node:fs/promises";
import type { Checkout } from "../types.ts";

/** Copies a checkout's files to `directory`, which must not exist yet. Links are kept as they are; nothing is shared. */
export async function copyCheckout(checkout: Pick<Checkout, "path">, directory: string): Promise<void> {
  await cp(checkout.path, directory, {
    recursive: true,
    verbatimSymlinks: true,
    errorOnExist: true,
    force: false,
  });
}
