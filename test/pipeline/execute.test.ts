import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HarnessFault } from "../../src/errors.ts";
import { execute } from "../../src/pipeline/execute.ts";
import type { Place } from "../../src/types.ts";
import { hasModule } from "../harness/host-python.ts";
import { describeInBubblewrap, makePlace } from "./host-sandbox.ts";
import { place, scriptedSandbox } from "./scripted-sandbox.ts";

const signal = AbortSignal.timeout(120_000);
const input = { source: "x = 1", seed: 7, timeoutSeconds: 5 };
const nothingSeen = {
  observed: {},
  unobservable: {},
  warnings: [],
  project: { imported: [], entered: [], replaced: [] },
};
const completed = { ...nothingSeen, ending: { how: "completed", exitCode: 0 }, peakMemoryBytes: 1 };

describe("execute", () => {
  it("gives the harness its folders, and the script its seed and nothing of this process", async () => {
    const sandbox = scriptedSandbox({ result: JSON.stringify(completed) });

    const execution = await execute(input, { ...place, gpus: ["GPU-1"] }, { sandbox }, signal);

    expect(execution).toEqual({ ...completed, seed: 7, stdout: "out", stderr: "err", durationMs: 5 });
    const [command] = sandbox.commands;
    expect(command?.argv).toEqual(["/env/bin/python", "/harness/run.py", "/job/spec.json"]);
    expect(command?.network).toBe("none");
    expect(command?.gpus).toEqual(["GPU-1"]);
    expect(command?.env).toMatchObject({
      SEED: "7",
      PYTHONHASHSEED: "7",
      PYTHONPATH: "/project:/project/src",
      CUDA_VISIBLE_DEVICES: "GPU-1",
    });
    expect(command?.mounts.map(({ sandboxPath, writable }) => [sandboxPath, writable])).toEqual([
      ["/env", false],
      ["/project", false],
      ["/harness", false],
      ["/job", false],
      ["/out", true],
    ]);
  });

  const endings = [
    [
      { how: "signal", signal: "SIGKILL" },
      { how: "signal", signal: "SIGKILL", stack: [] },
    ],
    [{ how: "timeout" }, { how: "timeout", stack: [] }],
    [
      { how: "limit", limit: "memory" },
      { how: "limit", limit: "memory" },
    ],
  ] as const;
  it.each(endings)("takes the sandbox's ending %j before a result that lies there", async (ending, told) => {
    const sandbox = scriptedSandbox({ ending, result: JSON.stringify(completed) });

    const execution = await execute(input, place, { sandbox }, signal);

    expect(execution).toMatchObject({ ...nothingSeen, ending: told, peakMemoryBytes: null });
  });

  const broken = {
    "no result": {},
    "no JSON": { result: "{" },
    "another shape": { result: JSON.stringify({ ...completed, ending: { how: "well" } }) },
    "an exception without a chain": {
      result: JSON.stringify({ ...completed, ending: { how: "exception", chain: [] } }),
    },
    "a link": { result: { linkTo: "/etc/hostname" } },
    "a folder": { result: { folder: true as const } },
    "a file that is too large": { result: `"${"x".repeat(33 * 1024 * 1024)}"` },
    "a tool that failed": { ending: { how: "exited" as const, code: 1 }, result: JSON.stringify(completed) },
  };
  it.each(Object.entries(broken))("throws a fault for %s, and leaves no folder", async (_name, script) => {
    const sandbox = scriptedSandbox(script);

    await expect(execute(input, place, { sandbox }, signal)).rejects.toThrow(HarnessFault);

    const job = sandbox.commands[0]?.mounts.find((mount) => mount.sandboxPath === "/job")?.hostPath ?? "";
    expect(await readdir(tmpdir())).not.toContain(job.split("/").at(-2));
  });

  it("does nothing once the signal has aborted", async () => {
    const sandbox = scriptedSandbox({});

    await expect(execute(input, place, { sandbox }, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    expect(sandbox.commands).toEqual([]);
  });
});

describeInBubblewrap("execute", (sandbox) => {
  let project: Place & AsyncDisposable;
  beforeAll(async () => {
    project = await makePlace({
      "pkg/__init__.py": "def boom(n):\n    raise RuntimeError('bad %d' % n)\ndef use():\n    return 1\n",
      "net.py":
        "from torch import nn\nclass Net(nn.Module):\n    def forward(self, x):\n        return x * float('nan')\n",
    });
  });
  afterAll(() => project[Symbol.asyncDispose]());

  const run = (source: string, timeoutSeconds = 30) =>
    execute({ source, seed: 1, timeoutSeconds }, project, { sandbox }, signal);

  it("tells an exception of the project", async () => {
    const execution = await run("import pkg\nprint('out', flush=True)\nobserved = {'a': pkg.use()}\npkg.boom(2)\n");

    expect(execution).toMatchObject({
      seed: 1,
      ending: {
        how: "exception",
        chain: [
          { type: "RuntimeError", message: "bad 2", frames: [{ in: "script", line: 4 }, { file: "pkg/__init__.py" }] },
        ],
      },
      observed: { a: 1 },
      project: { imported: ["pkg/__init__.py"], entered: [{ function: "use" }, { function: "boom" }] },
      stdout: "out\n",
    });
    expect(execution.peakMemoryBytes).toBeGreaterThan(1024 ** 2);
  });

  it("tells where a script hangs", async () => {
    const { ending } = await run("import time\ndef wait():\n    time.sleep(1000)\nwait()\n", 2);

    expect(ending).toMatchObject({
      how: "timeout",
      stack: [{ line: 4 }, { function: "wait", code: "time.sleep(1000)" }],
    });
  });

  it("tells a crash with its stack", async () => {
    const { ending } = await run("import os\ndef die():\n    os.abort()\ndie()\n");

    expect(ending).toMatchObject({ how: "signal", signal: "SIGABRT", stack: [{ line: 4 }, { function: "die" }] });
  });

  it("tells the memory limit, or the error that it raised", async () => {
    const source = "kept = []\nwhile True: kept.append(bytearray(b'x' * (64 << 20)))\n";
    const { ending } = await execute(
      { source, seed: 0, timeoutSeconds: 60 },
      { ...project, memoryBytes: 256 * 1024 ** 2 },
      { sandbox },
      signal,
    );

    const told = ending.how === "exception" ? ending.chain[0]?.type : ending;
    expect([{ how: "limit", limit: "memory" }, "MemoryError"]).toContainEqual(told);
  }, 60_000);

  it("ends as the signal with which the script kills the harness, whatever it wrote before", async () => {
    const forged = JSON.stringify({ ...completed, observed: { a: 1 } });
    const { ending, observed } = await run(
      `import os\nopen('/out/result.json', 'w').write(${JSON.stringify(forged)})\nos.kill(os.getppid(), 9)\n`,
    );

    expect({ ending, observed }).toEqual({ ending: { how: "signal", signal: "SIGKILL", stack: [] }, observed: {} });
  });

  it("lets no script write beside /out and /tmp", async () => {
    const source = [
      "observed = {}",
      "for path in ('/project/x', '/job/x', '/harness/x', '/tmp/x', '/out/x'):",
      "    try: open(path, 'w'); observed[path] = True",
      "    except OSError: observed[path] = False",
    ].join("\n");

    expect((await run(source)).observed).toEqual({
      "/project/x": false,
      "/job/x": false,
      "/harness/x": false,
      "/tmp/x": true,
      "/out/x": true,
    });
  });

  describe.skipIf(!hasModule("torch"))("with torch (needs torch in REPGEN_TEST_PYTHON)", () => {
    it("tells tensors, seeds and workers, and leaves torch.compile alone", async () => {
      const source = [
        "import torch, numpy as np, net",
        "from torch.utils.data import DataLoader, TensorDataset",
        "model = net.Net()",
        "observed = {'out': model(torch.ones(2)), 'bf16': torch.ones(1, dtype=torch.bfloat16), 'shape': torch.ones(2, 3).shape}",
        "observed['seed'] = torch.initial_seed()",
        "observed['numpy'] = [np.float32(1.5), np.array([1, 2]), np.random.get_state()[1][0]]",
        "observed['large'] = torch.full((200, 100), float('nan'))",
        "observed['compiled'] = torch.compile(lambda x: x + 1, backend='eager', fullgraph=True)(torch.ones(1))",
        "if __name__ == '__main__':",
        "    data = TensorDataset(torch.arange(2.0))",
        "    observed['workers'] = [x[0] for x in DataLoader(data, num_workers=1, multiprocessing_context='spawn')]",
      ].join("\n");
      const execution = await run(source, 100);

      expect(execution.ending).toEqual({ how: "completed", exitCode: 0 });
      expect(execution.observed).toEqual({
        out: ["NaN", "NaN"],
        bf16: [1],
        shape: [2, 3],
        seed: 1,
        numpy: [1.5, [1, 2], 1],
        compiled: [2],
        workers: [[0], [1]],
      });
      expect(execution.unobservable).toEqual({ large: expect.stringContaining("20000 of them not finite") });
      expect(execution.project.entered).toEqual([{ file: "net.py", function: "Net.forward", line: 3 }]);
    }, 120_000);

    it.each([
      ["what the script put in the place of a part of torch", "torch.ones = lambda *sizes: None", ["torch.ones"]],
      [
        "nothing where torch wraps parts of its own",
        "torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0).step()",
        [],
      ],
    ])(
      "tells %s",
      async (_, line, replaced) => {
        const execution = await run(`import torch, net\n${line}\n`, 100);

        expect(execution.project.replaced).toEqual(replaced);
      },
      120_000,
    );
  });
});
