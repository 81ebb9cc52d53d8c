import { createHash } from "node:crypto";
import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { EnvironmentFault } from "../errors.ts";
import type { ProjectSetup } from "../job.ts";
import type { Checkout } from "../types.ts";
import { runBuildStep } from "./build-step.ts";
import { minorVersion } from "./choose-python.ts";
import { copyNewFiles } from "./generated-files.ts";
import { type Draft, ensureLayer } from "./layer.ts";
import { createVenv, type PipResult, pipInstall, pipInstallOffline, seeLayers } from "./pip.ts";
import { cleanLog } from "./pip-output.ts";
import type { EnvironmentDeps } from "./prepare-base.ts";
import type { ProjectRequirements } from "./project-requirements.ts";
import type { Stack } from "./requirement-layer.ts";

const PACKAGING_FILES = ["pyproject.toml", "setup.cfg", "setup.py"];

/** The project would not install; thrown so that no layer is kept. */
class NotInstalled extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

interface Project {
  checkout: Checkout;
  read: ProjectRequirements;
  /** As the report says, for projects whose version comes from a git history that a checkout does not have. */
  version: string | null;
  setup: ProjectSetup;
}

/**
 * The stack with the project itself on top, installed so that its files are used where they are, in `/project`. Files
 * that its build adds beside them (compiled modules, metadata) are put into the checkout. A build of the project runs
 * on a copy and without network. When it fails the stack is as before and `failure` says why.
 */
export async function addProject(
  stack: Stack,
  project: Project,
  deps: EnvironmentDeps,
  signal: AbortSignal,
): Promise<{ stack: Stack; failure: string | null }> {
  const { checkout } = project;
  try {
    const layer = await ensureLayer(
      {
        madeOf: [
          "project",
          stack.layers,
          checkout.label,
          checkout.commit,
          project.version,
          await packaging(checkout),
          ...setupOf(project),
        ],
        facts: z.object({}),
        build: (draft) => buildProject({ stack, project, draft }, deps, signal),
      },
      deps.cacheDirectory,
      signal,
    );
    await cp(join(layer.hostPath, "generated"), checkout.path, { recursive: true, force: false });
    return {
      stack: {
        ...stack,
        layers: [layer.sandboxPath, ...stack.layers],
        python: `${layer.sandboxPath}/bin/python`,
        mounts: [...stack.mounts, layer.mount],
      },
      failure: null,
    };
  } catch (error) {
    if (error instanceof NotInstalled) return { stack, failure: error.reason };
    throw error;
  }
}

/** Nothing where there is none, so that what was built before there could be any is still found. */
function setupOf({ setup }: Project): ProjectSetup[] {
  return setup.commands.length === 0 ? [] : [setup];
}

async function packaging(checkout: Checkout): Promise<string> {
  const hash = createHash("sha256");
  for (const name of PACKAGING_FILES) hash.update(await readFile(join(checkout.path, name)).catch(() => ""));
  return hash.digest("hex");
}

interface ProjectBuild {
  stack: Stack;
  project: Project;
  draft: Draft;
}

async function buildProject(
  build: ProjectBuild,
  deps: EnvironmentDeps,
  signal: AbortSignal,
): Promise<Record<string, never>> {
  const { stack, project, draft } = build;
  deps.onProgress?.(`installing ${project.read.name ?? "the project"} itself`);
  await createVenv({ python: stack.python, mounts: stack.mounts, draft, withPip: false }, deps.sandbox, signal);
  await seeLayers(draft, `python${minorVersion(stack.base.pythonVersion)}`, stack.layers);
  const copy = join(draft.buildHostPath, "project");
  await cp(project.checkout.path, copy, { recursive: true, verbatimSymlinks: true });
  if (project.read.packaged) {
    const direct = await installProject(build, "", deps, signal);
    const result = direct.ok ? direct : await installWithBuildRequirements(build, direct, deps, signal);
    if (!result.ok) throw new NotInstalled(result.reason);
  }
  for (const command of project.setup.commands) await runSetup(command, build, deps, signal);
  const generated = join(draft.hostPath, "generated");
  await mkdir(generated);
  await copyNewFiles({ from: copy, notIn: project.checkout.path, to: generated });
  return {};
}

/**
 * Runs one command of the maintainers in the project's folder. What it adds there becomes part of the checkout.
 * @throws {EnvironmentFault} it fails.
 */
async function runSetup(
  command: string,
  build: ProjectBuild,
  deps: EnvironmentDeps,
  signal: AbortSignal,
): Promise<void> {
  const { stack, project, draft } = build;
  deps.onProgress?.(`set-up: ${command}`);
  const step = {
    argv: ["/bin/sh", "-c", command],
    cwd: "/project",
    mounts: [
      ...stack.mounts,
      { hostPath: join(draft.buildHostPath, "project"), sandboxPath: "/project", writable: true },
    ],
    network: "registries" as const,
    alsoReach: project.setup.hosts,
    env: { PATH: `${draft.sandboxPath}/bin:/usr/local/bin:/usr/bin:/bin` },
  };
  const { ending, output } = await runBuildStep(step, { sandbox: deps.sandbox, draft }, signal);
  if (ending.how === "exited" && ending.code === 0) return;
  const reason = `the set-up command ${JSON.stringify(command)} ${ending.how === "exited" ? `ended with ${ending.code}` : "did not end"}`;
  throw new EnvironmentFault(`The project could not be made ready: ${reason}.`, { reason, log: cleanLog(output) });
}

/** Puts what the build asks for beside the environment, for this build only. */
async function installWithBuildRequirements(
  build: ProjectBuild,
  failed: PipResult,
  deps: EnvironmentDeps,
  signal: AbortSignal,
): Promise<PipResult> {
  const { stack, project, draft } = build;
  if (project.read.buildRequirements.length === 0) return failed;
  const installed = await pipInstall(
    {
      python: stack.base.python,
      arguments: ["--target", "/build/requires", ...project.read.buildRequirements],
      mounts: stack.base.mounts,
      draft,
    },
    deps,
    signal,
  );
  return installed.ok ? installProject(build, "/build/requires", deps, signal) : installed;
}

function installProject(
  build: ProjectBuild,
  pythonPath: string,
  deps: EnvironmentDeps,
  signal: AbortSignal,
): Promise<PipResult> {
  const { stack, project, draft } = build;
  const copy = { hostPath: join(draft.buildHostPath, "project"), sandboxPath: "/project", writable: true };
  return pipInstallOffline(
    {
      python: stack.base.python,
      into: `${draft.sandboxPath}/bin/python`,
      arguments: ["--no-deps", "--no-build-isolation", "--ignore-requires-python", "--editable", "/project"],
      mounts: [...stack.mounts, copy],
      draft,
      env: { PYTHONPATH: pythonPath, SETUPTOOLS_SCM_PRETEND_VERSION: project.version ?? "0.0.0" },
    },
    deps,
    signal,
  );
}
