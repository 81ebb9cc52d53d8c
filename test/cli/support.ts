import { spawn } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Writable } from "node:stream";
import type { Io } from "../../src/cli/io.ts";
import { runCli } from "../../src/cli.ts";
import { Outcome } from "../../src/outcome.ts";
import { buildBackground } from "../../workers/build-background.ts";
import { buildDependencies } from "../../workers/build-dependencies.ts";
import { startServer, type TestServer } from "../doubles/http-server.ts";
import { createBench } from "../environment/support.ts";

const never = new AbortController().signal;
const launcher = join(import.meta.dirname, "../../bin/repgen.mjs");

export interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

export { BASE_TIMEOUT_MS, hasBubblewrap } from "../environment/support.ts";

/** A folder to work in, with a cache of its own that holds the base environment, and temporary files below it. */
export interface Desk extends AsyncDisposable {
  folder: string;
  /** The whole environment of its runs. */
  env: Record<string, string>;
  write(path: string, text: string | Uint8Array): Promise<void>;
  /** Runs the command line in this process, in `folder`. */
  repgen(argv: string[], options?: { env?: Record<string, string>; signal?: AbortSignal }): Promise<Ended>;
  /** Runs `bin/repgen.mjs` in a process group of its own. */
  start(argv: string[], env?: Record<string, string>): Launched;
  outcome(out?: string): Outcome;
  read(path: string): string;
  /** Host processes, sandboxed ones included, that see a folder of this desk mounted. */
  sandboxed(): number[];
  /** What runs have left among the temporary files. */
  leftovers(): Promise<string[]>;
}

export interface Launched {
  pid: number;
  written(text: string): Promise<void>;
  ended: Promise<Ended>;
}

export async function createDesk(): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), "repgen-desk-"));
  const temporary = join(folder, "temporary");
  await mkdir(temporary);
  const bench = await createBench();
  const outerTemporary = process.env.TMPDIR;
  process.env.TMPDIR = temporary;
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? folder,
    TMPDIR: temporary,
    REPGEN_SANDBOX: "bubblewrap",
    REPGEN_CACHE: bench.deps.cacheDirectory,
  };
  const read = (path: string) => readFileSync(join(folder, path), "utf8");
  return {
    folder,
    env,
    read,
    async write(path, text) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    },
    async repgen(argv, options = {}) {
      const [stdout, stderr] = [capture(), capture()];
      const io: Io = { stdout, stderr, env: { ...env, ...options.env }, cwd: folder };
      const status = await runCli(argv, io, { buildDependencies, buildBackground }, options.signal ?? never);
      return { status, stdout: stdout.text(), stderr: stderr.text() };
    },
    start: (argv, more = {}) => start(argv, { cwd: folder, env: { ...env, ...more } }),
    outcome: (out = "out") => Outcome.parse(JSON.parse(read(join(out, "outcome.json")))),
    sandboxed: () => processesThatMount(basename(folder)),
    leftovers: () => readdir(temporary),
    async [Symbol.asyncDispose]() {
      if (outerTemporary === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = outerTemporary;
      await bench.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A project of one function in plain Python, `toy.double`, and a report of what `body` makes it do. */
export async function writeToy(desk: Desk, body: string, report: string): Promise<void> {
  await desk.write("toy-project/toy/__init__.py", `def double(value):\n${body.replace(/^/gm, "    ")}\n`);
  await desk.write("issue.md", report);
}

/** A project whose function fails by mistake, and the report of that; reproduced without a model. */
export const raisingBody = "return 2 * len(value)";
export const raisingReport = `double(3) raises

\`\`\`python
from toy import double
value = 3
print(double(value))
\`\`\`

\`\`\`
Traceback (most recent call last):
  File "try.py", line 3, in <module>
    print(double(value))
  File "/home/user/toy-project/toy/__init__.py", line 2, in double
    return 2 * len(value)
TypeError: object of type 'int' has no len()
\`\`\`
`;

/** A report of the same project that only a model can make a script of. */
export const wordyReport = `double gives a number that is too large

When \`double\` is called with a small whole number the result is wrong: it is off by one, every time, in every release
that I have tried. I had expected exactly two times the number that goes in.
`;

/** An OpenAI-compatible endpoint that answers with the replies in order, the last one again and again. */
export async function startModel(replies: readonly string[]): Promise<TestServer & { env: Record<string, string> }> {
  return await startEndpoint((response, index) => {
    const content = replies[Math.min(index, replies.length - 1)] ?? "";
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
        usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
      }),
    );
  });
}

/** An endpoint that answers as `handle` does, and the settings that make it the model's. */
export async function startEndpoint(
  handle: Parameters<typeof startServer>[0],
): Promise<TestServer & { env: Record<string, string> }> {
  const server = await startServer(handle);
  return Object.assign(server, { env: { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_MODEL: "small-model" } });
}

/** What a model says of `wordyReport` before it writes code. */
export const restructured = JSON.stringify({
  triage: "bug",
  why: "",
  problem: "double is off by one",
  observed: "double(2) is 5",
  expected: "double(2) is 4",
  steps: ["call double(2)"],
  symptom: { kind: "silent" },
});
export const planned = JSON.stringify({
  steps: ["call double(2)"],
  observations: [{ name: "result", meaning: "what double(2) returns" }],
  timeoutSeconds: 5,
  symptom: { kind: "wrong-value", observation: "result", relation: "equals", reference: { value: 4 }, tolerance: 0 },
});

function capture(): Writable & { text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(stream, { text: () => Buffer.concat(chunks).toString() });
}

function start(argv: string[], options: { cwd: string; env: Record<string, string> }): Launched {
  const child = spawn(process.execPath, [launcher, ...argv], {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const streams = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (data: Buffer) => {
      streams[name] += data;
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === null) reject(new Error(`ended by ${signal}: ${streams.stderr}`));
      else resolve({ status: code, ...streams });
    });
  });
  return {
    pid: child.pid ?? 0,
    ended,
    written: (text) => eventually(() => streams.stderr.includes(text)),
  };
}

/** Waits until it is so; the test's own timeout is the limit. */
export async function eventually(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((wake) => setTimeout(wake, 50));
}

function processesThatMount(name: string): number[] {
  return globSync("/proc/[0-9]*/mountinfo").flatMap((path) => {
    try {
      return readFileSync(path, "utf8").includes(name) ? [Number(path.split("/")[2])] : [];
    } catch {
      // It has ended since.
      return [];
    }
  });
}

export function isThere(desk: Desk, path: string): boolean {
  return existsSync(join(desk.folder, path));
}
