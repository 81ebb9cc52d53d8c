import { z } from "zod";
import { EnvironmentFault } from "../errors.ts";
import type { Sandbox, SandboxMount } from "../ports/sandbox.ts";

const SCRIPT = `
import importlib.metadata, json, re
packages = {}
for distribution in importlib.metadata.distributions():
    name = distribution.metadata["Name"]
    if name:
        packages.setdefault(re.sub("[-_.]+", "-", name).lower(), distribution.version)
print(json.dumps(packages, sort_keys=True))
`;
const Packages = z.record(z.string(), z.string());
const MIB = 1024 ** 2;

/** Distributions that an interpreter sees, with their versions. @throws {EnvironmentFault} it does not start. */
export async function listPackages(
  python: string,
  deps: { sandbox: Sandbox; mounts: SandboxMount[] },
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const result = await deps.sandbox.run(
    {
      argv: [python, "-c", SCRIPT],
      env: { PYTHONDONTWRITEBYTECODE: "1" },
      mounts: deps.mounts,
      network: "none",
      limits: { wallTimeMs: 60_000, memoryBytes: 2048 * MIB, processes: 64, outputBytes: 4 * MIB, diskBytes: 16 * MIB },
      gpus: [],
    },
    signal,
  );
  try {
    return Packages.parse(JSON.parse(result.stdout));
  } catch (cause) {
    const reason = "the interpreter of the new environment does not list its packages";
    throw new EnvironmentFault(`No environment: ${reason}.`, { reason, log: result.stderr, cause });
  }
}
