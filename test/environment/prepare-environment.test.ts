import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EnvironmentRequest, prepareEnvironment } from "../../src/environment/prepare-environment.ts";
import { EnvironmentFault } from "../../src/errors.ts";
import type { Checkout, Environment } from "../../src/types.ts";
import { BASE_TIMEOUT_MS, type Bench, createBench, hasBubblewrap, signal } from "./support.ts";

const MIB = 1024 ** 2;
const INSTALL_TIMEOUT_MS = 180_000;

describe.skipIf(!hasBubblewrap)("prepareEnvironment (needs bubblewrap and package registries)", () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await createBench();
  }, BASE_TIMEOUT_MS);

  afterAll(() => bench.remove());

  function prepare(checkout: Checkout, more: Partial<EnvironmentRequest> = {}) {
    const request = { checkout, versions: {}, python: null, withPackages: [], ...more };
    return prepareEnvironment(request, bench.deps, signal);
  }

  async function runPython(environment: Environment, checkout: Checkout, code: string): Promise<string> {
    const mounts = environment.mounts.map((mount) => ({ ...mount, writable: false }));
    const result = await bench.deps.sandbox.run(
      {
        argv: [environment.python, "-c", code],
        env: { PYTHONPATH: environment.pythonPath.join(":") },
        mounts: [...mounts, { hostPath: checkout.path, sandboxPath: "/project", writable: false }],
        network: "none",
        limits: { wallTimeMs: 60_000, memoryBytes: 2048 * MIB, processes: 64, outputBytes: MIB, diskBytes: 64 * MIB },
        gpus: [],
      },
      signal,
    );
    return result.stdout + result.stderr;
  }

  const faultOf = (promise: Promise<unknown>) =>
    promise.then(
      () => null,
      (error: unknown) => (error instanceof EnvironmentFault ? error : null),
    );

  const tiny = {
    "pyproject.toml":
      '[build-system]\nrequires = ["setuptools>=61"]\nbuild-backend = "setuptools.build_meta"\n' +
      '[project]\nname = "tinypkg"\nversion = "0.3.0"\ndependencies = ["einops>=0.6", "torch>=2"]\n[tool.setuptools]\npackages = ["tinypkg"]\n',
    "tinypkg/__init__.py": "import einops\n",
  };

  it(
    "runs the maintainers' set-up once, on the environment's Python, and keeps what it adds",
    async () => {
      const checkout = await bench.checkout({
        "data/make.py": "import torch; print('made', file=open('data/x.txt', 'w'))",
      });
      const setup = { commands: ["python data/make.py", "test -s data/x.txt && cp data/x.txt data/y.txt"], hosts: [] };

      const environment = await prepare(checkout, { setup });

      expect(await runPython(environment, checkout, "print(open('/project/data/y.txt').read())")).toBe("made\n\n");
      expect(environment.projectInstalled).toBe(false);
    },
    INSTALL_TIMEOUT_MS,
  );

  it("tells the command of the set-up that failed, with its output", async () => {
    const checkout = await bench.checkout({ "a.py": "" });
    const setup = { commands: ["echo all is lost >&2; exit 3"], hosts: [] };

    const fault = await faultOf(prepare(checkout, { setup }));

    expect(fault?.reason).toBe('the set-up command "echo all is lost >&2; exit 3" ended with 3');
    expect(fault?.log).toContain("all is lost");
  });

  it(
    "installs the project and what it requires on top of the base, and finds both again at once",
    async () => {
      const [first, second] = [await bench.checkout(tiny, "tiny"), await bench.checkout(tiny, "tiny")];

      const built = await prepare(first);
      const output = await runPython(
        built,
        first,
        "import torch, tinypkg; from importlib.metadata import version as v; print(tinypkg.__file__, v('tinypkg'), torch.ones(2).sum().item())",
      );
      const startMs = Date.now();
      const found = await prepare(second);
      const durationMs = Date.now() - startMs;

      expect(output).toBe("/project/tinypkg/__init__.py 0.3.0 2.0\n");
      expect(built.projectInstalled).toBe(true);
      expect(built.substitutions).toEqual([]);
      expect(built.packages).toMatchObject({ tinypkg: "0.3.0", einops: expect.any(String) });
      expect(found).toEqual(built);
      expect(durationMs).toBeLessThan(5000);
    },
    INSTALL_TIMEOUT_MS,
  );

  it(
    "builds once for two calls at the same time",
    async () => {
      const files = { "requirements.txt": "einops\n", ...project("both") };
      const checkouts = [await bench.checkout(files, "both"), await bench.checkout(files, "both")];
      const before = await readdir(join(bench.deps.cacheDirectory, "environments"));

      const [one, other] = await Promise.all(checkouts.map((checkout) => prepare(checkout, { withPackages: ["six"] })));

      const after = await readdir(join(bench.deps.cacheDirectory, "environments"));
      expect(one).toEqual(other);
      expect(after.length - before.length).toBe(2);
    },
    INSTALL_TIMEOUT_MS,
  );

  it(
    "survives a process that is killed in the middle",
    async () => {
      const checkout = await bench.checkout({ "requirements.txt": "einops\niniconfig\n" });
      const module = (path: string) => JSON.stringify(join(import.meta.dirname, "../../src", path));
      const script = join(bench.folder, "build.ts");
      await writeFile(
        script,
        `import { createBubblewrapSandbox } from ${module("adapters/bubblewrap-sandbox.ts")};
         import { prepareEnvironment } from ${module("environment/prepare-environment.ts")};
         const { request, pip, cacheDirectory, hosts } = JSON.parse(process.argv[2]);
         const sandbox = await createBubblewrapSandbox({ registries: { hosts } });
         const deps = { sandbox, pip, cacheDirectory, onProgress: (text) => console.log(text) };
         await prepareEnvironment(request, deps, new AbortController().signal);`,
      );
      const { pip, cacheDirectory } = bench.deps;
      const request = { checkout, versions: {}, python: null, withPackages: [] };
      const argument = JSON.stringify({ request, pip, cacheDirectory, hosts: [] });
      const builder = spawn(process.execPath, [script, argument], { stdio: ["ignore", "pipe", "inherit"] });
      await once(builder.stdout, "data");
      builder.kill("SIGKILL");
      await once(builder, "exit");

      const environment = await prepare(checkout);

      const names = await readdir(join(cacheDirectory, "environments"));
      expect(environment.packages).toHaveProperty("iniconfig");
      expect(names.filter((name) => name.includes("draft"))).toEqual([]);
    },
    INSTALL_TIMEOUT_MS,
  );

  it(
    "ends with pip's own reason when a requirement does not exist",
    async () => {
      const checkout = await bench.checkout({ "requirements.txt": "einops\nthis-package-is-nowhere>=3\n" });

      const fault = await faultOf(prepare(checkout));

      expect(fault?.reason).toBe("No matching distribution found for this-package-is-nowhere>=3");
      expect(fault?.log).toContain("this-package-is-nowhere");
    },
    INSTALL_TIMEOUT_MS,
  );

  it.each([
    ["a setup.py that raises", { "setup.py": 'raise RuntimeError("boom")' }, "RuntimeError: boom"],
    ["a pyproject.toml that is not TOML", { "pyproject.toml": "[project" }, expect.stringContaining("TOMLDecodeError")],
  ])(
    "runs a project with %s from its files",
    async (_, files, reason) => {
      const checkout = await bench.checkout({ ...files, "mine.py": "x = 7" });

      const environment = await prepare(checkout);

      expect(environment.projectInstalled).toBe(false);
      expect(environment.substitutions).toContainEqual({
        wanted: "the project, installed",
        got: "run from its files",
        reason,
      });
      expect(await runPython(environment, checkout, "import mine; print(mine.x)")).toBe("7\n");
    },
    INSTALL_TIMEOUT_MS,
  );

  it(
    "gives up a pin of torch or numpy that cannot be had, and says so",
    async () => {
      const checkout = await bench.checkout({ "requirements.txt": "torch==1.4.0\nnumpy<1.0\neinops\n" });

      const { substitutions, packages } = await prepare(checkout);

      expect(substitutions).toEqual([
        { wanted: "torch==1.4.0", got: `torch ${packages.torch}`, reason: "environments share one build of torch" },
        {
          wanted: "numpy<1.0",
          got: `numpy ${packages.numpy}`,
          reason: expect.stringContaining("No matching distribution found for numpy<1.0"),
        },
      ]);
    },
    INSTALL_TIMEOUT_MS,
  );

  it(
    "gives a build what it asks for and puts the files that it makes into each checkout",
    async () => {
      const files = {
        "pyproject.toml":
          '[build-system]\nrequires = ["setuptools", "calmsize"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "made"\nversion = "1"\n',
        "setup.py":
          'import calmsize, setuptools\nopen("made/data.py", "w").write("y = 5")\nsetuptools.setup(packages=["made"])\n',
        "made/__init__.py": "from made.data import y\n",
      };
      const checkouts = [await bench.checkout(files, "made"), await bench.checkout(files, "made")];

      for (const checkout of checkouts) {
        const environment = await prepare(checkout);

        expect(environment.substitutions).toEqual([]);
        expect(await runPython(environment, checkout, "import made; print(made.y)")).toBe("5\n");
      }
    },
    INSTALL_TIMEOUT_MS,
  );

  it(
    "shows a project's build nothing of this machine",
    async () => {
      const secret = join(bench.folder, "secret");
      await writeFile(secret, "s3cret");
      const server = createServer((_, response) => response.end("reached")).listen(0, "127.0.0.1");
      await once(server, "listening");
      const address = server.address();
      const port = typeof address === "object" ? address?.port : null;
      const checkout = await bench.checkout({
        "setup.py": `
import json, os, socket, setuptools
def attempt(work):
    try:
        return str(work())
    except Exception as error:
        return "refused"
loot = {
    "file": attempt(lambda: open(${JSON.stringify(secret)}).read()),
    "loopback": attempt(lambda: socket.create_connection(("127.0.0.1", ${port}), 2)),
    "registry": attempt(lambda: socket.create_connection(("pypi.org", 443), 2)),
    "base": attempt(lambda: open(${JSON.stringify(`${bench.base.id}/planted`)}, "w")),
    "pip.conf": attempt(lambda: open("/pip/pip.conf").read()),
    "environment": sorted(name for name in os.environ if "TOKEN" in name or "KEY" in name),
}
json.dump(loot, open("loot.json", "w"))
setuptools.setup(name="thief", version="1", py_modules=[])
`,
      });

      const environment = await prepare(checkout);
      server.close();

      expect(environment.projectInstalled).toBe(true);
      expect(JSON.parse(await readFile(join(checkout.path, "loot.json"), "utf8"))).toEqual({
        file: "refused",
        loopback: "refused",
        registry: "refused",
        base: "refused",
        "pip.conf": "refused",
        environment: [],
      });
    },
    INSTALL_TIMEOUT_MS,
  );

  it("says which Pythons there are when none fits", async () => {
    const checkout = await bench.checkout({ "pyproject.toml": '[project]\nname = "p"\nrequires-python = ">=99"' });

    const byProject = await faultOf(prepare(checkout));
    const byWish = await faultOf(prepare(checkout, { python: "3.2" }));

    expect(byProject?.reason).toMatch(/^the project requires Python >=99 \(there is 3\./);
    expect(byWish?.reason).toMatch(/^Python 3\.2 is not in the sandbox \(there is 3\./);
  });
});

function project(name: string): Record<string, string> {
  return { "setup.py": `import setuptools\nsetuptools.setup(name="${name}", version="1", py_modules=[])\n` };
}
