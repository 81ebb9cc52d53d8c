import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { EnvironmentFault } from "../errors.ts";
import type { SandboxMount } from "../ports/sandbox.ts";
import { minorVersion } from "./choose-python.ts";
import { type Draft, ensureLayer } from "./layer.ts";
import { createVenv, type PipResult, pipInstall, seeLayers } from "./pip.ts";
import { pipHosts } from "./pip-configuration.ts";
import type { Base, EnvironmentDeps } from "./prepare-base.ts";
import type { Substitution, Wanted } from "./substitutions.ts";

const Facts = z.object({
  substitutions: z.array(z.object({ wanted: z.string(), got: z.string(), reason: z.string() })),
});
type Facts = z.infer<typeof Facts>;

/** Environments on top of a base, by their folder in the sandbox, the uppermost first. */
export interface Stack {
  base: Base;
  layers: string[];
  python: string;
  mounts: SandboxMount[];
  substitutions: Substitution[];
}

/**
 * The base with a set of requirements on top, from the cache or built.
 * @throws {EnvironmentFault} pip cannot install them; the reason is its own.
 */
export async function addRequirements(
  base: Base,
  wanted: Wanted,
  deps: EnvironmentDeps,
  signal: AbortSignal,
): Promise<Stack> {
  const bottom = { base, layers: [base.id], python: base.python, mounts: base.mounts };
  if (wanted.requirements.length === 0) return { ...bottom, substitutions: wanted.substitutions };
  const requirements = [...wanted.requirements].sort();
  const layer = await ensureLayer(
    {
      madeOf: ["requirements", base.id, requirements, pipHosts(deps.pip)],
      facts: Facts,
      build: (draft) => buildRequirements({ base, requirements, draft }, deps, signal),
    },
    deps.cacheDirectory,
    signal,
  );
  return {
    base,
    layers: [layer.sandboxPath, base.id],
    python: `${layer.sandboxPath}/bin/python`,
    mounts: [...base.mounts, layer.mount],
    substitutions: [...wanted.substitutions, ...layer.facts.substitutions],
  };
}

interface RequirementBuild {
  base: Base;
  requirements: string[];
  draft: Draft;
}

async function buildRequirements(build: RequirementBuild, deps: EnvironmentDeps, signal: AbortSignal): Promise<Facts> {
  const { base, draft } = build;
  await createVenv({ python: base.python, mounts: base.mounts, draft, withPip: false }, deps.sandbox, signal);
  await seeLayers(draft, `python${minorVersion(base.pythonVersion)}`, [base.id]);
  await writeFile(join(draft.buildHostPath, "constraints.txt"), `torch==${base.packages.torch}\n`);
  const first = await install(build, deps, signal);
  if (first.ok) return { substitutions: [] };
  const numpy = build.requirements.filter((text) => /^numpy\b/i.test(text));
  const others = build.requirements.filter((text) => !numpy.includes(text));
  const second = numpy.length > 0 ? await install({ ...build, requirements: others }, deps, signal) : first;
  if (!second.ok) throw new EnvironmentFault(`The project's requirements cannot be installed: ${first.reason}.`, first);
  const got = `numpy ${base.packages.numpy}`;
  return { substitutions: numpy.map((text) => ({ wanted: text, got, reason: first.reason })) };
}

/** numpy comes as a wheel or not at all: building an old one takes long and fails on a Python that it does not know. */
async function install(build: RequirementBuild, deps: EnvironmentDeps, signal: AbortSignal): Promise<PipResult> {
  const { base, draft, requirements } = build;
  if (requirements.length === 0) return { ok: true };
  const index = base.torchIndex === null ? [] : ["--extra-index-url", base.torchIndex];
  const options = ["--constraint", "/build/constraints.txt", "--only-binary", "numpy", ...index];
  const command = {
    python: base.python,
    into: `${draft.sandboxPath}/bin/python`,
    arguments: ["--progress-bar", "raw", ...options, ...requirements],
    mounts: base.mounts,
    draft,
  };
  return pipInstall(command, deps, signal);
}
