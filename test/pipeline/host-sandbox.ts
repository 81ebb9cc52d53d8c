import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, it } from "vitest";
import { createBubblewrapSandbox } from "../../src/adapters/bubblewrap-sandbox.ts";
import type { Sandbox } from "../../src/ports/sandbox.ts";
import type { Place } from "../../src/types.ts";

const bubblewrap = await createBubblewrapSandbox().catch(() => null);

/** A suite that runs in bubblewrap, and is skipped where that cannot run. */
export function describeInBubblewrap(name: string, suite: (sandbox: Sandbox) => void): void {
  if (bubblewrap === null) describe.skip(`${name} in bubblewrap (needs bubblewrap)`, () => it("runs", () => {}));
  else describe(`${name} in bubblewrap`, () => suite(bubblewrap));
}

/** A project on this host, with a Python of this host as its environment; gone when disposed. */
export async function makePlace(files: Record<string, string>): Promise<Place & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "repgen-test-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return {
    checkout: { path, commit: "0".repeat(40), label: "test", leftOut: [] },
    environment: {
      ...(await environment()),
      packages: {},
      substitutions: [],
      pythonPath: ["/project"],
      projectInstalled: true,
    },
    memoryBytes: 2 * 1024 ** 3,
    gpus: [],
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** The interpreter that `REPGEN_TEST_PYTHON` names, or the newest one of the sandbox. */
async function environment(): Promise<Pick<Place["environment"], "python" | "pythonVersion" | "mounts">> {
  const named = process.env.REPGEN_TEST_PYTHON;
  if (named === undefined) {
    const [newest] = (await bubblewrap?.pythons(AbortSignal.timeout(60_000))) ?? [];
    if (newest === undefined) throw new Error("no Python in the sandbox");
    return { python: newest.path, pythonVersion: newest.version, mounts: newest.mounts };
  }
  const script = "import sys; print(sys.prefix, sys.base_prefix, sys.version.split()[0])";
  const { stdout } = await promisify(execFile)(named, ["-c", script]);
  const [prefix = "", base = "", pythonVersion = ""] = stdout.trim().split(" ");
  const folders = new Set([prefix, base, await realpath(prefix), await realpath(base)]);
  const mounts = [...folders]
    .filter((folder) => !folder.startsWith("/usr"))
    .map((folder) => ({ hostPath: folder, sandboxPath: folder }));
  return { python: named, pythonVersion, mounts };
}
