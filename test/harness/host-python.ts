import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

const harness = join(import.meta.dirname, "../../docker/sandbox/harness");

/** Interpreter of the tests; `REPGEN_TEST_PYTHON` may name one that has torch. */
export const python = process.env.REPGEN_TEST_PYTHON ?? "python3";

/** Can the tests' interpreter import the module? */
export function hasModule(name: string): boolean {
  return spawnSync(python, ["-c", `import ${name}`], { stdio: "ignore" }).status === 0;
}

/** Does the tests' interpreter have this version or a later one? */
export function isAtLeast(minor: number): boolean {
  return spawnSync(python, ["-c", `import sys; sys.exit(sys.version_info < (3, ${minor}))`]).status === 0;
}

/** Every Python from 3.8 on that is found on this host. */
export function hostPythons(): string[] {
  const names = [8, 9, 10, 11, 12, 13, 14].map((minor) => `python3.${minor}`);
  const folders = [...(process.env.PATH ?? "").split(":"), ...globSync(join(homedir(), ".pyenv/versions/*/bin"))];
  return names.flatMap((name) => folders.map((folder) => join(folder, name)).find(runs) ?? []);
}

function runs(path: string): boolean {
  return spawnSync(path, ["-c", ""], { stdio: "ignore" }).status === 0;
}

export interface ToolRun {
  tool: "run" | "check" | "describe";
  source: string | Uint8Array;
  /** Project files by path. */
  files?: Record<string, string>;
  spec?: Record<string, unknown>;
  interpreter?: string;
}

export interface ToolOutput {
  status: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** Undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: what each tool writes is what its tests are about
  result: any;
}

/** Runs a tool of the harness with a Python of this host, outside any sandbox. */
export function runTool({ tool, source, files = {}, spec = {}, interpreter = python }: ToolRun): ToolOutput {
  const folder = mkdtempSync(join(tmpdir(), "repgen-test-"));
  try {
    const [project, out] = [join(folder, "project"), join(folder, "out")];
    mkdirSync(project);
    mkdirSync(out);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), text);
    }
    const paths = { script: join(folder, "script.py"), project, result: join(out, "result.json") };
    writeFileSync(paths.script, source);
    writeFileSync(join(folder, "spec.json"), JSON.stringify({ seed: 0, timeoutSeconds: 20, ...spec, ...paths }));
    const ran = spawnSync(interpreter, [join(harness, `${tool}.py`), join(folder, "spec.json")], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env.PATH, PYTHONPATH: project, PYTHONDONTWRITEBYTECODE: "1", RESULT: paths.result },
      timeout: 60_000,
    });
    const { status, signal, stdout, stderr } = ran;
    return { status, signal, stdout, stderr, result: readResult(paths.result) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readResult(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
