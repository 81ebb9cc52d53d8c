import { z } from "zod";
import { EnvironmentFault } from "../errors.ts";
import type { Sandbox, SandboxMount, SandboxPython } from "../ports/sandbox.ts";
import { minorVersion, usablePythons } from "./choose-python.ts";
import { listPackages } from "./inventory.ts";
import { type Draft, ensureLayer, type LayerRecipe } from "./layer.ts";
import { createVenv, pipInstall } from "./pip.ts";
import { type PipConfiguration, pipHosts } from "./pip-configuration.ts";

export interface EnvironmentDeps {
  sandbox: Sandbox;
  pip: PipConfiguration;
  /** Absolute; holds finished environments, which any number of processes may share. */
  cacheDirectory: string;
  onProgress?: (text: string) => void;
}

/** What all environments of one Python share: torch, numpy and what builds packages. */
export interface Base {
  id: string;
  /** Interpreter inside the sandbox. */
  python: string;
  pythonVersion: string;
  mounts: SandboxMount[];
  packages: Record<string, string>;
  /** Index that torch came from, or null when pip's own configuration gave it. */
  torchIndex: string | null;
}

const Facts = z.object({ packages: z.record(z.string(), z.string()), torchIndex: z.string().nullable() });
type Facts = z.infer<typeof Facts>;

const TORCH_INDEX = "https://download.pytorch.org/whl/cpu";
const TORCH_INDEX_TIMEOUT_MS = 3000;
const TORCH_VERSION = "2.13.0";
/** The last release for a Python that the current one has left. */
const LAST_TORCH_VERSION: Record<string, string> = { "3.8": "2.4.1", "3.9": "2.8.0" };
const BUILD_TOOLS = ["packaging", "wheel", "hatchling", "poetry-core", "flit-core"];

/**
 * The base of the most suitable Python, from the cache or built.
 * @throws {EnvironmentFault} there is no usable Python, or its packages cannot be had.
 */
export async function prepareBase(deps: EnvironmentDeps, signal: AbortSignal): Promise<Base> {
  const [python] = usablePythons(await deps.sandbox.pythons(signal));
  if (python === undefined) {
    const reason = "the sandbox has no Python from 3.8 to 3.13";
    throw new EnvironmentFault(`No environment: ${reason}.`, { reason, log: "" });
  }
  return baseFor(python, deps, signal);
}

/** The base of one Python, from the cache or built. @throws {EnvironmentFault} its packages cannot be had. */
export async function baseFor(python: SandboxPython, deps: EnvironmentDeps, signal: AbortSignal): Promise<Base> {
  const minor = minorVersion(python.version);
  const torch = `torch==${LAST_TORCH_VERSION[minor] ?? TORCH_VERSION}`;
  // setuptools 81 and later are without pkg_resources, which many projects still import.
  const packages = [torch, "numpy", "setuptools<81", ...BUILD_TOOLS];
  const recipe: LayerRecipe<Facts> = {
    madeOf: ["base", deps.sandbox.identity, python.path, python.version, packages, pipHosts(deps.pip)],
    facts: Facts,
    build: (draft) => buildBase({ python, packages, draft }, deps, signal),
  };
  const layer = await ensureLayer(recipe, deps.cacheDirectory, signal);
  return {
    id: layer.sandboxPath,
    python: `${layer.sandboxPath}/bin/python`,
    pythonVersion: python.version,
    mounts: [...python.mounts, layer.mount],
    ...layer.facts,
  };
}

async function buildBase(
  base: { python: SandboxPython; packages: string[]; draft: Draft },
  deps: EnvironmentDeps,
  signal: AbortSignal,
): Promise<Facts> {
  const { draft } = base;
  const { mounts, path } = base.python;
  deps.onProgress?.(`preparing Python ${base.python.version}`);
  await createVenv({ python: path, mounts, draft, withPip: true }, deps.sandbox, signal);
  const torchIndex = (await isReachable(TORCH_INDEX, signal)) ? TORCH_INDEX : null;
  const python = `${draft.sandboxPath}/bin/python`;
  const index = torchIndex === null ? [] : ["--extra-index-url", torchIndex];
  // The first one brings a pip that can tell how far a download is.
  for (const packages of [["pip"], ["--progress-bar", "raw", ...base.packages]]) {
    const command = { python, mounts, draft, arguments: ["--upgrade", ...index, ...packages] };
    const result = await pipInstall(command, deps, signal);
    if (!result.ok) throw new EnvironmentFault(`The base environment was not built: ${result.reason}.`, result);
  }
  const seen = { sandbox: deps.sandbox, mounts: [...mounts, ...draft.mounts] };
  return { packages: await listPackages(python, seen, signal), torchIndex };
}

async function isReachable(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TORCH_INDEX_TIMEOUT_MS)]);
    return (await fetch(`${url}/`, { method: "HEAD", signal: limit })).ok;
  } catch (error) {
    if (signal.aborted) throw error;
    return false;
  }
}
