import { SandboxFault } from "../errors.ts";
import type { Sandbox, SandboxPython } from "../ports/sandbox.ts";

/** Prints `version path` of each interpreter on the path, links resolved. */
const LIST_PYTHONS = `
import glob, os, subprocess
found = {os.path.realpath(p) for d in os.get_exec_path() for p in glob.glob(d + "/python3.*")}
for path in sorted(p for p in found if os.path.basename(p)[8:].isdigit()):
    subprocess.run([path, "-I", "-c", "import platform; print(platform.python_version(), %r)" % path])
`;

/**
 * Python 3 interpreters that an image brings, newest first.
 * @throws {SandboxFault} the image has no `python3`.
 */
export async function findImagePythons(sandbox: Sandbox, signal: AbortSignal): Promise<SandboxPython[]> {
  const { ending, stdout, stderr } = await sandbox.run(
    {
      argv: ["python3", "-I", "-c", LIST_PYTHONS],
      env: {},
      mounts: [],
      network: "none",
      limits: { wallTimeMs: 30_000, memoryBytes: 2 ** 28, processes: 16, outputBytes: 16_384, diskBytes: 2 ** 20 },
      gpus: [],
    },
    signal,
  );
  if (ending.how !== "exited" || ending.code !== 0) {
    throw new SandboxFault(`python3 does not run in the image: ${stderr.trim()}`, { retryable: false });
  }
  const pythons = stdout
    .trim()
    .split("\n")
    .map((line): SandboxPython => {
      const [version = "", path = ""] = line.split(" ");
      return { path, version, mounts: [] };
    });
  return pythons.sort((a, b) => b.version.localeCompare(a.version, "en", { numeric: true }));
}
