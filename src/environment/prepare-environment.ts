import { EnvironmentFault } from "../errors.ts";
import type { ProjectSetup } from "../job.ts";
import type { SandboxPython } from "../ports/sandbox.ts";
import type { Checkout, Environment } from "../types.ts";
import { minorVersion, usablePythons } from "./choose-python.ts";
import { listPackages } from "./inventory.ts";
import { type Base, baseFor, type EnvironmentDeps } from "./prepare-base.ts";
import { addProject } from "./project-layer.ts";
import { type ProjectRequirements, readRequirements } from "./project-requirements.ts";
import { addRequirements } from "./requirement-layer.ts";
import { fitToBase, type Substitution, unlikeReported } from "./substitutions.ts";

export interface EnvironmentRequest {
  /** This run's own copy: files that the project's build adds are put into it. */
  checkout: Checkout;
  /** As reported; only used to tell what differs. */
  versions: Record<string, string>;
  /** Wanted minor version (`3.10`), or null. */
  python: string | null;
  /** Requirements beside those of the project, as pip takes them. */
  withPackages: string[];
  /** What the project's maintainers let run once it is installed. (Default: nothing.) */
  setup?: ProjectSetup;
}

const noSetup: ProjectSetup = { commands: [], hosts: [] };

/**
 * A Python with the project and what it requires, from the cache or built inside the sandbox. Safe to call at once from
 * any number of processes: finished environments never change.
 * @throws {EnvironmentFault} no Python fits, a requirement cannot be installed, or a command of the set-up fails.
 */
export async function prepareEnvironment(
  input: EnvironmentRequest,
  deps: EnvironmentDeps,
  signal: AbortSignal,
): Promise<Environment> {
  const pythons = selectPythons(input.python, await deps.sandbox.pythons(signal));
  const { base, read } = await chooseBase(input, pythons, deps, signal);
  const wanted = fitToBase(read, base.torchIndex);
  const required = await addRequirements(base, wanted, deps, signal);
  const version = (read.name && input.versions[read.name.toLowerCase()]) || null;
  const { checkout, setup = noSetup } = input;
  const project = { checkout, read, version, setup };
  const { stack, failure } =
    read.packaged || setup.commands.length > 0
      ? await addProject(required, project, deps, signal)
      : { stack: required, failure: null };
  const packages = await listPackages(stack.python, { sandbox: deps.sandbox, mounts: stack.mounts }, signal);
  return {
    python: stack.python,
    pythonVersion: base.pythonVersion,
    mounts: stack.mounts.map(({ hostPath, sandboxPath }) => ({ hostPath, sandboxPath })),
    packages,
    substitutions: [
      ...stack.substitutions,
      ...(failure === null ? [] : [notInstalled(read, failure)]),
      ...unlikeReported(input.versions, { ...packages, python: base.pythonVersion }),
    ],
    pythonPath: ["/project", ...(read.sourceFolder === null ? [] : [`/project/${read.sourceFolder}`])],
    projectInstalled: read.packaged && failure === null,
  };
}

function notInstalled(read: ProjectRequirements, failure: string): Substitution {
  return { wanted: `${read.name ?? "the project"}, installed`, got: "run from its files", reason: failure };
}

function selectPythons(wanted: string | null, all: readonly SandboxPython[]): SandboxPython[] {
  const usable = usablePythons(all);
  const selected = usable.filter((python) => wanted === null || minorVersion(python.version) === wanted);
  if (selected.length > 0) return selected;
  throw noPython(`Python ${wanted ?? "3.8 to 3.13"} is not in the sandbox`, usable);
}

function noPython(reason: string, usable: readonly SandboxPython[]): EnvironmentFault {
  const there = usable.map((python) => python.version).join(", ") || "none";
  const full = `${reason} (there is ${there})`;
  return new EnvironmentFault(`No environment: ${full}.`, { reason: full, log: "" });
}

/** The first Python that the project supports. It also is the one that reads what the project requires. */
async function chooseBase(
  input: EnvironmentRequest,
  pythons: SandboxPython[],
  deps: EnvironmentDeps,
  signal: AbortSignal,
): Promise<{ base: Base; read: ProjectRequirements }> {
  const [first] = pythons;
  if (first === undefined) throw noPython("there is no usable Python", pythons);
  const readWith = async (python: SandboxPython) => {
    const base = await baseFor(python, deps, signal);
    const pythonVersions = pythons.map(({ version }) => version);
    const request = { checkoutPath: input.checkout.path, reader: base, pythonVersions, extra: input.withPackages };
    return { base, read: await readRequirements(request, deps.sandbox, signal) };
  };
  const result = await readWith(first);
  if (input.python !== null || result.read.supportedPythons.includes(first.version)) return result;
  const supported = pythons.find((python) => result.read.supportedPythons.includes(python.version));
  if (supported) return readWith(supported);
  throw noPython(`the project requires Python ${result.read.requiresPython}`, pythons);
}
