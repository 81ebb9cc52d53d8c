import { execFile } from "node:child_process";
import { chmod, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { SandboxFault } from "../errors.ts";
import type { SandboxMount } from "../ports/sandbox.ts";

/** Who runs the command, as the host counts users. Never root. */
export interface SandboxUser {
  uid: number;
  gid: number;
}

/** `nobody` of every Linux; what commands run as when this process is root, and what they see as their user id. */
export const NOBODY: SandboxUser = { uid: 65534, gid: 65534 };

/** Files that one process inside may have open. */
export const OPEN_FILES = 4_096;

/** Is this process root? */
export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** Who runs commands where the sandbox does not rename users: never root. */
export function sandboxUser(): SandboxUser {
  const uid = process.geteuid?.() ?? 0;
  return uid === 0 ? NOBODY : { uid, gid: process.getegid?.() || NOBODY.gid };
}

/**
 * Lets the sandbox's user into the mounts where root made them for itself: writable ones become its own, the top of
 * the others becomes readable. When this process is not root, its own user runs the command and is let in already.
 * @throws {SandboxFault} there is nothing at a mount's host path.
 */
export async function handOver(mounts: readonly SandboxMount[]): Promise<void> {
  for (const { hostPath, writable } of mounts) {
    const { mode } = await stat(hostPath).catch((cause: unknown) => {
      throw new SandboxFault(`there is no ${hostPath} to mount`, { retryable: false, cause });
    });
    if (!isRoot()) continue;
    if (writable) await promisify(execFile)("chown", ["-RhP", `${NOBODY.uid}:${NOBODY.gid}`, "--", hostPath]);
    else await makeReadable(hostPath, mode);
  }
}

async function makeReadable(path: string, mode: number): Promise<void> {
  const wanted = mode & 0o111 ? 0o5 : 0o4;
  if ((mode & wanted) !== wanted) await chmod(path, (mode & 0o7777) | wanted);
}
