import { lstat, readlink } from "node:fs/promises";
import type { SandboxCommand } from "../ports/sandbox.ts";
import { cleanArgv } from "./clean-argv.ts";
import { NOBODY, OPEN_FILES } from "./sandbox-user.ts";

const PROCESSES_OF_OTHERS = 512;

/** Parts of the host's `/etc` that programs need and that tell nothing of the host. */
const SHARED_ETC = [
  "/etc/alternatives",
  "/etc/ca-certificates",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/mime.types",
  "/etc/pki/ca-trust/extracted",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
];

/** Small files made for the sandbox. */
export const OWN_ETC: Readonly<Record<string, string>> = {
  "/etc/group": `root:x:0:\nnogroup:x:${NOBODY.gid}:\n`,
  "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
  "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
  "/etc/passwd": `root:x:0:0:root:/:/usr/sbin/nologin\nnobody:x:${NOBODY.uid}:${NOBODY.gid}:nobody:/tmp:/usr/sbin/nologin\n`,
};

export interface BubblewrapSetting {
  /** Is this process root? Then commands run as a real user without rights; else as this process's own, renamed. */
  root: boolean;
  /** Arguments that make the host's userland, from `hostUserland`. */
  userland: readonly string[];
  /** Descriptors: where bubblewrap tells its status, what it waits for, its system call filter, the files of `OWN_ETC` in order. */
  descriptors: { status: number; start: number; filter: number | null; etc: readonly number[] };
  /** Device nodes of the GPUs asked for. */
  devices: readonly string[];
  /** Are memory and processes limited by polling? Then the kernel bounds each process as well. */
  watched: boolean;
}

/** Read-only binds of the folders that hold the host's programs and libraries, or their links. */
export async function hostUserland(): Promise<string[]> {
  const args = ["--ro-bind", "/usr", "/usr"];
  for (const path of ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]) {
    const found = await lstat(path).catch(() => null);
    if (found?.isSymbolicLink()) args.push("--symlink", await readlink(path), path);
    else if (found !== null) args.push("--ro-bind", path, path);
  }
  return args;
}

/** All arguments of `bwrap` for one command. */
export function bubblewrapArguments(command: SandboxCommand, setting: BubblewrapSetting): string[] {
  return [
    ...namespaces(setting),
    ...root(command, setting),
    ...command.mounts.flatMap(({ hostPath, sandboxPath, writable }) => [
      ...foldersAbove(sandboxPath),
      ...[writable ? "--bind" : "--ro-bind", hostPath, sandboxPath],
    ]),
    ...["--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", command.cwd ?? "/tmp"],
    "--",
    ...processLimits(command, setting),
    ...(setting.root ? becomeNobody() : []),
    ...cleanArgv(command),
  ];
}

function namespaces({ root, descriptors }: BubblewrapSetting): string[] {
  return [
    ...["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--hostname", "sandbox", "--die-with-parent", "--new-session"],
    ...(root
      ? ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"]
      : ["--unshare-user", "--uid", String(NOBODY.uid), "--gid", String(NOBODY.gid)]),
    ...["--json-status-fd", String(descriptors.status), "--block-fd", String(descriptors.start)],
    ...(descriptors.filter === null ? [] : ["--seccomp", String(descriptors.filter)]),
  ];
}

function root({ limits }: SandboxCommand, { userland, descriptors, devices }: BubblewrapSetting): string[] {
  const tmpfs = (path: string, bytes: number) => ["--perms", "1777", "--size", String(bytes), "--tmpfs", path];
  return [
    ...userland,
    ...SHARED_ETC.flatMap(readOnly),
    ...Object.keys(OWN_ETC).flatMap((path, index) => [
      ...["--perms", "0444", "--ro-bind-data", String(descriptors.etc[index]), path],
    ]),
    ...["--proc", "/proc", "--dev", "/dev"],
    // Where numerical libraries read how many processors there are; CUDA reads more.
    ...readOnly(devices.length === 0 ? "/sys/devices/system/cpu" : "/sys"),
    ...devices.flatMap((path) => ["--dev-bind", path, path]),
    ...tmpfs("/dev/shm", Math.ceil(limits.memoryBytes / 2)),
    ...tmpfs("/tmp", limits.diskBytes),
  ];
}

/** What the host may not have is left out. */
function readOnly(path: string): string[] {
  return [...foldersAbove(path), "--ro-bind-try", path, path];
}

/** Makes the folders that a mount lies in, where they are missing, so that everyone may pass. */
function foldersAbove(path: string): string[] {
  const names = path.split("/").slice(1, -1);
  return names.flatMap((_, index) => ["--perms", "0755", "--dir", `/${names.slice(0, index + 1).join("/")}`]);
}

/**
 * Where limits are watched, the kernel's own are wider, so that the watch tells the limit first: twice the memory for
 * each process (CUDA reserves far more than it uses), and as root, where it counts the processes of all sandboxes
 * together, enough for several.
 */
function processLimits({ limits }: SandboxCommand, { watched, root, devices }: BubblewrapSetting): string[] {
  const processes = root ? 4 * limits.processes + PROCESSES_OF_OTHERS : limits.processes + 1;
  return [
    ...["/usr/bin/prlimit", "--core=0", `--nofile=${OPEN_FILES}`, `--fsize=${limits.diskBytes}`],
    ...(watched ? [`--nproc=${processes}`] : []),
    ...(watched && devices.length === 0 ? [`--data=${2 * limits.memoryBytes}`] : []),
    "--",
  ];
}

function becomeNobody(): string[] {
  return [
    ...["/usr/bin/setpriv", `--reuid=${NOBODY.uid}`, `--regid=${NOBODY.gid}`, "--clear-groups", "--no-new-privs"],
    ...["--bounding-set=-all", "--inh-caps=-all", "--"],
  ];
}
