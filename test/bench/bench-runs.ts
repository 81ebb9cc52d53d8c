/**
 * `npm run bench`: what a run costs, as ratios and counts of this one run.
 *
 * 1. Overhead of an execution: time to the first line of a candidate's output, over the same script run bare in the same
 *    sandbox. 2. Model calls and tokens of each fixture that is reproduced, from its recorded replies. 3. Wall time of
 *    the demo, by stage.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config.ts";
import { prepareEnvironment } from "../../src/environment/prepare-environment.ts";
import { execute } from "../../src/pipeline/execute.ts";
import { prepareRepository } from "../../src/pipeline/prepare-repository.ts";
import type { Trajectory } from "../../src/pipeline/reproduce-issue.ts";
import type { Sandbox, SandboxResult } from "../../src/ports/sandbox.ts";
import type { Place } from "../../src/types.ts";
import { buildDependencies } from "../../workers/build-dependencies.ts";
import { runFixture } from "../e2e/run-fixture.ts";
import { bugDirectory, readBugs } from "../fixtures/read-fixtures.ts";

const never = new AbortController().signal;
const repeats = 9;
const print = (line: string) => process.stdout.write(`${line}\n`);

await benchOverhead();
await benchBugs();

async function benchOverhead(): Promise<void> {
  const config = loadConfig();
  const noModel = { name: null, record: null, replay: null };
  await using dependencies = await buildDependencies({ ...config, model: null }, noModel, never);
  const source = { from: "git", url: join(bugDirectory("cross-shape"), "repository"), ref: null } as const;
  const checkout = await prepareRepository(source, dependencies, never);
  const wanted = { checkout, versions: {}, python: null, withPackages: [] };
  const environment = await prepareEnvironment(wanted, dependencies, never);
  const place: Place = { checkout, environment, memoryBytes: config.memoryBytes, gpus: [] };
  const script = "import torch\nimport latentbridge\nprint(torch.ones(1).item(), flush=True)\n";

  print(`execution overhead, first line of output, median of ${repeats}, ${dependencies.sandbox.description}:`);
  const bare: number[] = [];
  const watched: number[] = [];
  for (let run = 0; run < repeats; run++) {
    bare.push(await bareFirstOutput(script, place, dependencies.sandbox));
    watched.push(await watchedFirstOutput(script, place, dependencies.sandbox));
  }
  const [plain, harness] = [median(bare), median(watched)];
  print(`  bare ${plain} ms, with the harness ${harness} ms, ratio ${(harness / plain).toFixed(3)} (at most 1.25)\n`);
}

async function watchedFirstOutput(source: string, place: Place, sandbox: Sandbox): Promise<number> {
  const results: SandboxResult[] = [];
  const watching: Sandbox = {
    ...sandbox,
    async run(command, signal) {
      const result = await sandbox.run(command, signal);
      results.push(result);
      return result;
    },
  };
  await execute({ source, seed: 0, timeoutSeconds: 60 }, place, { sandbox: watching }, never);
  return results.at(-1)?.firstOutputMs ?? Number.NaN;
}

async function bareFirstOutput(source: string, place: Place, sandbox: Sandbox): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "repgen-bench-"));
  try {
    await writeFile(join(folder, "script.py"), source);
    const { environment, checkout } = place;
    const result = await sandbox.run(
      {
        argv: [environment.python, "/job/script.py"],
        env: { PYTHONPATH: environment.pythonPath.join(":"), OMP_NUM_THREADS: "2", PYTHONDONTWRITEBYTECODE: "1" },
        mounts: [
          ...environment.mounts.map((mount) => ({ ...mount, writable: false })),
          { hostPath: checkout.path, sandboxPath: "/project", writable: false },
          { hostPath: folder, sandboxPath: "/job", writable: false },
        ],
        network: "none",
        limits: {
          wallTimeMs: 60_000,
          memoryBytes: place.memoryBytes,
          processes: 256,
          outputBytes: 1e6,
          diskBytes: 1e9,
        },
        gpus: [],
      },
      never,
    );
    return result.firstOutputMs ?? Number.NaN;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function benchBugs(): Promise<void> {
  print("reports, from their recorded replies (verdict, model calls, tokens, executions, seconds):");
  let demo: Trajectory | null = null;
  const reproduced: Trajectory["outcome"][] = [];
  for (const { name } of await readBugs()) {
    const trajectory = await runFixture(`bugs/${name}`, "buggy");
    const { verdict, spent } = trajectory.outcome;
    const tokens = spent.promptTokens + spent.completionTokens;
    const seconds = (spent.durationMs / 1000).toFixed(1);
    print(`  ${name.padEnd(28)} ${verdict.padEnd(15)} ${spent.modelCalls} ${tokens} ${spent.executions} ${seconds}`);
    if (verdict === "reproduced" || verdict === "flaky") reproduced.push(trajectory.outcome);
    if (name === "never-zeroed-gradients") demo = trajectory;
  }
  const calls = reproduced.map(({ spent }) => spent.modelCalls);
  const tokens = reproduced.map(({ spent }) => spent.promptTokens + spent.completionTokens);
  print(`  reproduced ${reproduced.length}; median model calls ${median(calls)}, median tokens ${median(tokens)}\n`);
  if (demo !== null) printStages(demo);
}

function printStages({ events, outcome }: Trajectory): void {
  print(`wall time of the demo, ${(outcome.spent.durationMs / 1000).toFixed(1)} s, by stage:`);
  for (const event of events) {
    if (event.event !== "stage") continue;
    const share = (100 * event.durationMs) / outcome.spent.durationMs;
    print(`  ${event.stage.padEnd(22)} ${(event.durationMs / 1000).toFixed(1)} s  ${share.toFixed(0)} %`);
  }
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
