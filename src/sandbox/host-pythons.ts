import { access, readdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Sandbox, SandboxMount, SandboxPython } from "../ports/sandbox.ts";

/** An interpreter of the host, before it was run. */
interface Installation {
  path: string;
  mounts: SandboxMount[];
}

/** The oldest Python that the harness runs on. */
const OLDEST_MINOR = 8;

/**
 * Python 3 interpreters of the host that run inside `sandbox`, newest first, one for each installation. Those outside
 * `/usr` bring their own folder as a mount. Virtual environments stand for the interpreter that they were made from.
 */
export async function findHostPythons(
  sandbox: Sandbox,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<SandboxPython[]> {
  const installations = new Map<string, Installation>();
  for (const folder of ["/usr/bin", "/usr/local/bin", ...(await versionFolders()), ...folders]) {
    for (const found of await installationsIn(folder)) installations.set(found.path, found);
  }
  const pythons = await Promise.all([...installations.values()].map((found) => tryOut(sandbox, found, signal)));
  return pythons.filter((python) => python !== null).sort(byVersionDescending);
}

/** Where version managers of this user put interpreters. */
async function versionFolders(): Promise<string[]> {
  const roots = [join(homedir(), ".pyenv/versions"), join(homedir(), ".local/share/uv/python")];
  const versions = await Promise.all(
    roots.map((root) =>
      readdir(root).then(
        (names) => names.map((name) => join(root, name)),
        () => [],
      ),
    ),
  );
  return versions.flat().map((version) => join(version, "bin"));
}

async function installationsIn(folder: string): Promise<Installation[]> {
  const names = (await readdir(folder).catch(() => [])).filter(isSupported);
  const found = await Promise.all(names.map((name) => installationOf(join(folder, name))));
  return found.filter((installation) => installation !== null);
}

function isSupported(name: string): boolean {
  const minor = /^python3\.(\d+)$/.exec(name)?.[1];
  return minor !== undefined && Number(minor) >= OLDEST_MINOR;
}

/** Null for what has no standard library beside it, such as a version manager's launcher script. */
async function installationOf(link: string): Promise<Installation | null> {
  const path = await realpath(link).catch(() => null);
  if (path === null) return null;
  const prefix = dirname(dirname(path));
  const library = join(prefix, "lib", link.slice(link.lastIndexOf("python3.")), "os.py");
  if (
    !(await access(library).then(
      () => true,
      () => false,
    ))
  )
    return null;
  const ofHost = prefix === "/" || prefix === "/usr" || prefix.startsWith("/usr/");
  return { path, mounts: ofHost ? [] : [{ hostPath: prefix, sandboxPath: prefix, writable: false }] };
}

async function tryOut(
  sandbox: Sandbox,
  { path, mounts }: Installation,
  signal: AbortSignal,
): Promise<SandboxPython | null> {
  const { ending, stdout } = await sandbox.run(
    {
      argv: [path, "-I", "-c", "import platform; print(platform.python_version())"],
      env: {},
      mounts,
      network: "none",
      limits: { wallTimeMs: 20_000, memoryBytes: 2 ** 28, processes: 16, outputBytes: 4_096, diskBytes: 2 ** 20 },
      gpus: [],
    },
    signal,
  );
  return ending.how === "exited" && ending.code === 0 ? { path, version: stdout.trim(), mounts } : null;
}

function byVersionDescending(a: SandboxPython, b: SandboxPython): number {
  return b.version.localeCompare(a.version, "en", { numeric: true });
}
