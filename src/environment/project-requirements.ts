import { join } from "node:path";
import { z } from "zod";
import { EnvironmentFault } from "../errors.ts";
import type { Sandbox, SandboxMount } from "../ports/sandbox.ts";

const Requirement = z.object({
  /** As pip takes it, without its marker: `numpy<2,>=1.20`. */
  text: z.string(),
  /** Normalised: lower case, `-` for `_` and `.`. */
  name: z.string(),
  extras: z.array(z.string()),
  /** Version that the reading interpreter has, or null. */
  installed: z.string().nullable(),
  satisfied: z.boolean(),
});
export type Requirement = z.infer<typeof Requirement>;

/** What a project's files say it needs; none of them was run. */
export const ProjectRequirements = z.object({
  name: z.string().nullable(),
  /** Has files that pip could install it from. */
  packaged: z.boolean(),
  requiresPython: z.string().nullable(),
  /** Those of the versions asked about that `requiresPython` allows, in the same order. */
  supportedPythons: z.array(z.string()),
  /** Those that the reading interpreter does not have. */
  buildRequirements: z.array(z.string()),
  requirements: z.array(Requirement),
  leftOut: z.array(z.object({ text: z.string(), reason: z.string() })),
  /** Folder of the project that holds its packages when that is not its top (`src`). */
  sourceFolder: z.string().nullable(),
});
export type ProjectRequirements = z.infer<typeof ProjectRequirements>;

const MIB = 1024 ** 2;

export interface Reader {
  /** Interpreter with `packaging`, in the sandbox; markers are evaluated by it. */
  python: string;
  mounts: SandboxMount[];
}

/**
 * Reads the requirements of a checkout inside the sandbox.
 * @throws {EnvironmentFault} its files exhaust what the reading may take.
 */
export async function readRequirements(
  input: { checkoutPath: string; reader: Reader; pythonVersions: readonly string[]; extra: readonly string[] },
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<ProjectRequirements> {
  const extra = input.extra.map((text) => `--with=${text}`);
  const result = await sandbox.run(
    {
      argv: [input.reader.python, "/tools/read_requirements.py", ...extra, "/project", ...input.pythonVersions],
      env: { PYTHONDONTWRITEBYTECODE: "1" },
      mounts: [
        ...input.reader.mounts,
        { hostPath: join(import.meta.dirname, "python"), sandboxPath: "/tools", writable: false },
        { hostPath: input.checkoutPath, sandboxPath: "/project", writable: false },
      ],
      network: "none",
      limits: { wallTimeMs: 30_000, memoryBytes: 1024 * MIB, processes: 64, outputBytes: 4 * MIB, diskBytes: 16 * MIB },
      gpus: [],
    },
    signal,
  );
  if (result.ending.how === "exited" && result.ending.code === 0) {
    return ProjectRequirements.parse(JSON.parse(result.stdout));
  }
  const reason = "the project's requirement files cannot be read";
  throw new EnvironmentFault(`No environment: ${reason}.`, { reason, log: result.stderr });
}
