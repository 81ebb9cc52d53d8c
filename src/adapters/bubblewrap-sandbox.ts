import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { SandboxFault } from "../errors.ts";
import type { Sandbox, SandboxCommand, SandboxResult } from "../ports/sandbox.ts";
import { bubblewrapArguments, hostUserland } from "../sandbox/bubblewrap-arguments.ts";
import { DESCRIPTORS, launchBubblewrap } from "../sandbox/bubblewrap-process.ts";
import { type ControlGroups, findControlGroups } from "../sandbox/control-group.ts";
import { gpuDevices } from "../sandbox/gpu-devices.ts";
import { findHostPythons } from "../sandbox/host-pythons.ts";
import { openRegistries, type RegistryOptions } from "../sandbox/registries.ts";
import { handOver, isRoot } from "../sandbox/sandbox-user.ts";
import { supervise } from "../sandbox/supervise.ts";

/** The first with `--size`. */
const OLDEST_VERSION = "0.7.0";

export interface BubblewrapOptions {
  registries?: RegistryOptions;
  /** Folders searched for Python interpreters beside the usual ones, such as those of `PATH`. */
  pythonFolders?: readonly string[];
  /** False limits by polling even where the kernel could count all processes together. (Default: true.) */
  controlGroups?: boolean;
}

/** What one host offers; read once. */
interface Host {
  root: boolean;
  userland: readonly string[];
  groups: ControlGroups | null;
  registries: RegistryOptions;
}

/**
 * Runs each command under bubblewrap, in namespaces of its own, on this host's userland without its data. As root,
 * commands run as a real user without rights; otherwise as this process's own user, in a user namespace.
 * @throws {SandboxFault} bubblewrap is missing, or the host does not let it make namespaces.
 */
export async function createBubblewrapSandbox(options: BubblewrapOptions = {}): Promise<Sandbox> {
  const version = await bubblewrapVersion();
  const host: Host = {
    root: isRoot(),
    userland: await hostUserland(),
    groups: options.controlGroups === false ? null : await findControlGroups(),
    registries: options.registries ?? {},
  };
  const sandbox: Sandbox = {
    description: `bubblewrap ${version}, ${host.root ? "user 65534" : "this user, renamed"}, ${limiting(host.groups)}`,
    identity: `bubblewrap ${await hostRelease()} ${process.arch}`,
    pythons: (signal) => findHostPythons(sandbox, options.pythonFolders ?? [], signal),
    run: (command, signal) => run(host, command, signal),
  };
  await tryOut(sandbox);
  return sandbox;
}

async function run(host: Host, command: SandboxCommand, signal: AbortSignal): Promise<SandboxResult> {
  signal.throwIfAborted();
  const startedAtMs = performance.now();
  await using access = await openRegistries(command, host.registries);
  await handOver(access.command.mounts);
  const args = bubblewrapArguments(access.command, {
    root: host.root,
    userland: host.userland,
    descriptors: DESCRIPTORS,
    devices: await gpuDevices(command.gpus),
    watched: host.groups === null,
  });
  const group = (await host.groups?.create(access.command.limits)) ?? null;
  const running = launchBubblewrap(args, group, access.command.limits);
  return await supervise(running, { command, startedAtMs }, signal);
}

/** @throws {SandboxFault} there is none, or one that can't bound the size of a tmpfs. */
async function bubblewrapVersion(): Promise<string> {
  const { stdout } = await promisify(execFile)("bwrap", ["--version"]).catch((cause: unknown) => {
    throw new SandboxFault("bubblewrap is not installed; run: apt-get install bubblewrap", { retryable: false, cause });
  });
  const version = stdout.trim().replace("bubblewrap ", "");
  if (version.localeCompare(OLDEST_VERSION, "en", { numeric: true }) >= 0) return version;
  throw new SandboxFault(`bubblewrap ${version} is too old; ${OLDEST_VERSION} or newer is needed`, {
    retryable: false,
  });
}

function limiting(groups: ControlGroups | null): string {
  return groups === null
    ? "memory and processes limited by polling (no control group can be made)"
    : `memory and processes of all limited together (control groups, version ${groups.version})`;
}

async function hostRelease(): Promise<string> {
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  const value = (name: string) => new RegExp(`^${name}="?([^"\\n]*)`, "m").exec(release)?.[1] ?? "unknown";
  return `${value("ID")}-${value("VERSION_ID")}`;
}

/** @throws {SandboxFault} with what bubblewrap says. */
async function tryOut(sandbox: Sandbox): Promise<void> {
  const limits = { wallTimeMs: 10_000, memoryBytes: 2 ** 28, processes: 16, outputBytes: 4_096, diskBytes: 2 ** 20 };
  const command: SandboxCommand = { argv: ["true"], env: {}, mounts: [], network: "none", limits, gpus: [] };
  const problem = await sandbox.run(command, AbortSignal.timeout(20_000)).then(
    ({ ending, stderr }) => (ending.how === "exited" && ending.code === 0 ? null : stderr || JSON.stringify(ending)),
    (error: unknown) => String(error),
  );
  if (problem === null) return;
  throw new SandboxFault(
    `bubblewrap can't make a sandbox here: ${problem.trim()}. Where user namespaces are restricted, run: ` +
      "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    { retryable: false },
  );
}
