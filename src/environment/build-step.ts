import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sandbox, SandboxCommand, SandboxLimits, SandboxMount, SandboxResult } from "../ports/sandbox.ts";
import type { Draft } from "./layer.ts";

const GIB = 1024 ** 3;
const LIMITS: SandboxLimits = {
  wallTimeMs: 40 * 60_000,
  memoryBytes: 12 * GIB,
  processes: 512,
  outputBytes: 1024 ** 2,
  diskBytes: 2 * GIB,
};
const POLL_MS = 500;
const KEPT_OUTPUT_BYTES = 256 * 1024;

export interface BuildStep {
  argv: readonly string[];
  mounts: SandboxMount[];
  network: SandboxCommand["network"];
  alsoReach?: readonly string[];
  cwd?: string;
  env?: Record<string, string>;
}

export interface BuildStepResult {
  ending: SandboxResult["ending"];
  /** The last part of what the step wrote. */
  output: string;
}

/** Runs one command that adds to a draft; what it writes is handed to `onOutput` while it comes. */
export async function runBuildStep(
  step: BuildStep,
  deps: { sandbox: Sandbox; draft: Draft; onOutput?: (text: string) => void },
  signal: AbortSignal,
): Promise<BuildStepResult> {
  const output = join(deps.draft.buildHostPath, "output");
  const finished = new AbortController();
  const following = follow(output, deps.onOutput, finished.signal);
  try {
    const result = await deps.sandbox.run(
      {
        argv: ["/bin/sh", "-c", 'exec "$@" >/build/output 2>&1', "sh", ...step.argv],
        env: { PYTHONUNBUFFERED: "1", PYTHONDONTWRITEBYTECODE: "1", TMPDIR: "/build", ...step.env },
        mounts: [...step.mounts, ...deps.draft.mounts],
        network: step.network,
        ...(step.alsoReach === undefined ? {} : { alsoReach: step.alsoReach }),
        ...(step.cwd === undefined ? {} : { cwd: step.cwd }),
        limits: LIMITS,
        gpus: [],
      },
      signal,
    );
    return { ending: result.ending, output: `${result.stderr}${await readTail(output)}` };
  } finally {
    finished.abort();
    await following;
  }
}

/** Opens a file that untrusted code may have replaced: never through a link, never a pipe. */
async function openPlain(path: string): Promise<FileHandle | null> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (handle === null || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return null;
}

async function readTail(path: string): Promise<string> {
  await using handle = await openPlain(path);
  if (handle === null) return "";
  const { size } = await handle.stat();
  const buffer = Buffer.alloc(Math.min(size, KEPT_OUTPUT_BYTES));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - buffer.length);
  return buffer.toString("utf8", 0, bytesRead);
}

async function follow(
  path: string,
  onOutput: ((text: string) => void) | undefined,
  finished: AbortSignal,
): Promise<void> {
  let position = 0;
  const buffer = Buffer.alloc(KEPT_OUTPUT_BYTES);
  while (onOutput && !finished.aborted) {
    await sleep(POLL_MS, undefined, { signal: finished }).catch(() => undefined);
    await using handle = await openPlain(path);
    if (handle === null) continue;
    const { size } = await handle.stat();
    if (size < position) position = 0;
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, Math.max(position, size - buffer.length));
    position = size;
    if (bytesRead > 0) onOutput(buffer.toString("utf8", 0, bytesRead));
  }
}
