import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EnvironmentFault } from "../errors.ts";
import type { Sandbox, SandboxMount } from "../ports/sandbox.ts";
import { type BuildStepResult, runBuildStep } from "./build-step.ts";
import type { Draft } from "./layer.ts";
import { type PipConfiguration, pipConfigurationFile, pipMounts } from "./pip-configuration.ts";
import { cleanLog, describeProgress, failureReason } from "./pip-output.ts";

export interface PipDeps {
  sandbox: Sandbox;
  pip: PipConfiguration;
  onProgress?: (text: string) => void;
}

export interface PipCommand {
  /** Interpreter whose pip runs. */
  python: string;
  /** Arguments after `pip install`. */
  arguments: readonly string[];
  mounts: SandboxMount[];
  draft: Draft;
  /** Interpreter that is installed into. (Default: `python`.) */
  into?: string;
}

export type PipResult = { ok: true } | { ok: false; reason: string; log: string };

const INSIDE = { configuration: "/pip/pip.conf", certificates: "/pip/cert.pem" };
const ALWAYS = ["--no-cache-dir", "--no-input", "--disable-pip-version-check", "--no-warn-script-location"];

/** Runs `pip install` with this machine's pip configuration and the way to the registries. */
export async function pipInstall(command: PipCommand, deps: PipDeps, signal: AbortSignal): Promise<PipResult> {
  const folder = join(command.draft.hostPath, "pip");
  await mkdir(folder, { mode: 0o700 });
  try {
    const step = {
      argv: pipArguments(command),
      mounts: [...command.mounts, ...pipMounts(deps.pip), ...(await writeConfiguration(deps.pip, folder))],
      network: "registries" as const,
      env: { PIP_CONFIG_FILE: INSIDE.configuration },
    };
    return pipResult(await runBuildStep(step, { ...deps, draft: command.draft, onOutput: reporter(deps) }, signal));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Files for the sandbox, in a folder that no other user may enter, inside or outside: index URLs may hold credentials. */
async function writeConfiguration(pip: PipConfiguration, folder: string): Promise<SandboxMount[]> {
  const configuration = { hostPath: join(folder, "pip.conf"), sandboxPath: INSIDE.configuration, writable: false };
  const certificates = { hostPath: join(folder, "cert.pem"), sandboxPath: INSIDE.certificates, writable: false };
  const { cert, ...others } = pip;
  if (cert === undefined) {
    await writeFile(configuration.hostPath, pipConfigurationFile(others));
    return [configuration];
  }
  await copyFile(cert, certificates.hostPath).catch((cause: unknown) => {
    const reason = `pip is set to trust the certificates of ${cert}, which cannot be read`;
    throw new EnvironmentFault(`Nothing can be installed: ${reason}.`, { reason, log: "", cause });
  });
  await writeFile(configuration.hostPath, pipConfigurationFile({ ...others, cert: INSIDE.certificates }));
  return [configuration, certificates];
}

/** Runs `pip install` without network and without any configuration: what it needs is there. */
export async function pipInstallOffline(
  command: PipCommand & { env: Record<string, string> },
  deps: PipDeps,
  signal: AbortSignal,
): Promise<PipResult> {
  const step = {
    argv: pipArguments(command),
    mounts: command.mounts,
    network: "none" as const,
    env: { PIP_CONFIG_FILE: "/dev/null", PIP_NO_INDEX: "1", ...command.env },
  };
  return pipResult(await runBuildStep(step, { ...deps, draft: command.draft, onOutput: reporter(deps) }, signal));
}

/** Makes a virtual environment of the draft. @throws {EnvironmentFault} the interpreter cannot. */
export async function createVenv(
  venv: { python: string; mounts: SandboxMount[]; draft: Draft; withPip: boolean },
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<void> {
  const argv = [venv.python, "-m", "venv", ...(venv.withPip ? [] : ["--without-pip"]), venv.draft.sandboxPath];
  const step = { argv, mounts: venv.mounts, network: "none" as const };
  const result = await runBuildStep(step, { sandbox, draft: venv.draft }, signal);
  if (result.ending.how === "exited" && result.ending.code === 0) return;
  const reason = /ensurepip/.test(result.output)
    ? `${venv.python} has no ensurepip (on Debian and Ubuntu: apt install python3-venv)`
    : `${venv.python} -m venv failed`;
  throw new EnvironmentFault(`No virtual environment could be made: ${reason}.`, { reason, log: result.output });
}

/** Lets an environment see the packages of others, first come first; its own come before theirs. */
export async function seeLayers(draft: Draft, python: string, layers: readonly string[]): Promise<void> {
  const sitePackages = `lib/${python}/site-packages`;
  const lines = layers.map((layer) => `import site; site.addsitedir("${layer}/${sitePackages}")\n`);
  const folder = join(draft.hostPath, "root", sitePackages);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "layers.pth"), lines.join(""), { flag: "wx" });
}

function pipArguments(command: PipCommand): string[] {
  const into = command.into === undefined ? [] : ["--python", command.into];
  return [command.python, "-m", "pip", ...into, "install", ...ALWAYS, ...command.arguments];
}

function pipResult(result: BuildStepResult): PipResult {
  const { ending } = result;
  if (ending.how === "exited" && ending.code === 0) return { ok: true };
  const log = cleanLog(result.output);
  if (ending.how === "exited") return { ok: false, reason: failureReason(result.output), log };
  const what = ending.how === "limit" ? `reached the limit of ${ending.limit}` : "took too long or was killed";
  return { ok: false, reason: `the installation ${what}`, log };
}

/** Hands on what is new, at the rate at which output comes. */
function reporter(deps: PipDeps): ((output: string) => void) | undefined {
  const { onProgress } = deps;
  let last: string | null = null;
  return (
    onProgress &&
    ((output) => {
      const text = describeProgress(output);
      if (text !== null && text !== last) onProgress(text);
      last = text ?? last;
    })
  );
}
