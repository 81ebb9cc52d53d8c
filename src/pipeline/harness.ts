import { constants } from "node:fs";
import { chmod, mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { HarnessFault } from "../errors.ts";
import type { Sandbox, SandboxLimits, SandboxMount, SandboxResult } from "../ports/sandbox.ts";
import { makeTemporaryFolder } from "../temporary-folder.ts";
import type { Place } from "../types.ts";

const HARNESS_FOLDER = fileURLToPath(new URL("../../docker/sandbox/harness", import.meta.url));
const MAX_RESULT_BYTES = 32 * 1024 * 1024;
const MAX_EXPLANATION_CHARACTERS = 2_000;

/** For tools that read a script and run nothing. */
export const READING_LIMITS: SandboxLimits = {
  wallTimeMs: 60_000,
  memoryBytes: 2 * 1024 ** 3,
  processes: 32,
  outputBytes: 64 * 1024,
  diskBytes: 64 * 1024 ** 2,
};

/** One call of a tool of the harness on one script. */
export interface HarnessCall {
  tool: "run" | "check" | "describe";
  source: string;
  /** What the tool's `spec.json` holds beside the paths. */
  spec: Record<string, unknown>;
  /** Beside the environment that every call gets. */
  env?: Record<string, string>;
  limits: SandboxLimits;
  gpus: readonly string[];
}

/** What the tool wrote, or how the sandbox ended it before it could. */
export type HarnessAnswer<Result> = { result: Result | null; sandbox: SandboxResult };

/**
 * Runs a tool of the harness in the sandbox; its folders on this host are gone afterwards.
 * `result` is null when the sandbox ended the tool by a signal, a limit or a timeout.
 * @throws {HarnessFault} the tool ended by itself without a result that fits the schema.
 * @throws {SandboxFault} the sandbox itself cannot run.
 */
export async function callHarness<Result>(
  call: HarnessCall & { schema: z.ZodType<Result> },
  place: Place,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<HarnessAnswer<Result>> {
  signal.throwIfAborted();
  const folder = await makeTemporaryFolder("job");
  try {
    const [job, out] = [join(folder, "job"), join(folder, "out")];
    await layOut(job, out, call);
    const ran = await sandbox.run(
      {
        argv: [place.environment.python, `/harness/${call.tool}.py`, "/job/spec.json"],
        env: { ...environmentVariables(place), ...call.env },
        mounts: mountsOf(place, { job, out }),
        network: "none",
        limits: call.limits,
        gpus: call.gpus,
      },
      signal,
    );
    return { result: await readAnswer(ran, join(out, "result.json"), call), sandbox: ran };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function layOut(job: string, out: string, call: HarnessCall): Promise<void> {
  const spec = { ...call.spec, script: "/job/script.py", project: "/project", result: "/out/result.json" };
  await mkdir(job);
  await mkdir(out);
  await chmod(join(job, ".."), 0o755);
  await chmod(job, 0o755);
  await chmod(out, 0o777);
  await writeFile(join(job, "script.py"), call.source, { mode: 0o644 });
  await writeFile(join(job, "spec.json"), JSON.stringify(spec), { mode: 0o644 });
}

function mountsOf(place: Place, folders: { job: string; out: string }): SandboxMount[] {
  const readOnly = [
    ...place.environment.mounts,
    { hostPath: place.checkout.path, sandboxPath: "/project" },
    { hostPath: HARNESS_FOLDER, sandboxPath: "/harness" },
    { hostPath: folders.job, sandboxPath: "/job" },
  ];
  return [
    ...readOnly.map((mount) => ({ ...mount, writable: false })),
    { hostPath: folders.out, sandboxPath: "/out", writable: true },
  ];
}

function environmentVariables(place: Place): Record<string, string> {
  return {
    PYTHONPATH: place.environment.pythonPath.join(":"),
    PYTHONNOUSERSITE: "1",
    PYTHONDONTWRITEBYTECODE: "1",
    OMP_NUM_THREADS: "2",
    MPLBACKEND: "Agg",
    HF_HUB_OFFLINE: "1",
    TOKENIZERS_PARALLELISM: "false",
    CUDA_VISIBLE_DEVICES: visibleDevices(place.gpus),
  };
}

/** Indices count the devices inside, where only those passed through are seen. */
function visibleDevices(gpus: readonly string[]): string {
  const named = gpus.every((gpu) => /^(GPU|MIG)-/.test(gpu));
  return gpus.map((gpu, index) => (named ? gpu : String(index))).join(",");
}

/** Only a tool that ended well has written its result itself; whatever else lies there, a script may have. */
async function readAnswer<Result>(
  ran: SandboxResult,
  path: string,
  call: HarnessCall & { schema: z.ZodType<Result> },
): Promise<Result | null> {
  if (ran.ending.how !== "exited") return null;
  const said = ran.stderr.slice(-MAX_EXPLANATION_CHARACTERS);
  if (ran.ending.code !== 0) {
    const message = `${call.tool}.py ended with status ${ran.ending.code}: ${said}`;
    throw new HarnessFault(message, { retryable: false });
  }
  const text = await readSmallFile(path);
  if (text === null) throw new HarnessFault(`${call.tool}.py left no result: ${said}`, { retryable: false });
  const parsed = call.schema.safeParse(parseJson(text));
  if (!parsed.success) {
    const message = `${call.tool}.py left a result of another shape: ${parsed.error.message.slice(0, MAX_EXPLANATION_CHARACTERS)}`;
    throw new HarnessFault(message, { retryable: false, cause: parsed.error });
  }
  return parsed.data;
}

/** Null for what is missing, a link, no regular file, or too large. */
async function readSmallFile(path: string): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => null);
  if (file === null) return null;
  try {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= MAX_RESULT_BYTES ? await file.readFile("utf8") : null;
  } finally {
    await file.close();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
