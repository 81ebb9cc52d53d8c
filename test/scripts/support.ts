import { spawn } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const repository = join(import.meta.dirname, "../..");

/** A clone with the real launchers, and with a stand-in for what they launch. */
export interface Clone {
  folder: string;
  /** Folder for programs that are on `PATH`, first. */
  programs: string;
  write(path: string, text: string): Promise<void>;
  writeProgram(name: string, shell: string): Promise<void>;
  linkPackages(): Promise<void>;
  start(args: string[], env?: Record<string, string>): Running;
  remove(): Promise<void>;
}

export interface Running {
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the text has been written to either stream. */
  written(text: string): Promise<void>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
}

export async function createClone(): Promise<Clone> {
  const folder = await mkdtemp(join(tmpdir(), "repgen-clone-"));
  const programs = join(folder, "programs");
  for (const name of ["scripts", "bin"]) await cp(join(repository, name), join(folder, name), { recursive: true });
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await write("package.json", '{ "type": "module" }');
  await write("programs/README", "");
  await write("src/environment/prepare-base.ts", "");
  return {
    folder,
    programs,
    write,
    writeProgram: async (name, shell) => {
      await write(`programs/${name}`, `#!/bin/sh\n${shell}\n`);
      await chmod(join(programs, name), 0o755);
    },
    linkPackages: async () => {
      await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
      await cp(join(repository, "package-lock.json"), join(folder, "package-lock.json"));
    },
    start: (args, env = {}) =>
      start(
        args.map((arg) => arg.replace(/^\.\//, `${folder}/`)),
        { PATH: programs, HOME: folder, ...env },
      ),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function start(args: string[], env: Record<string, string>): Running {
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const streams = { stdout: "", stderr: "" };
  child.stdout.on("data", (data: Buffer) => {
    streams.stdout += data;
  });
  child.stderr.on("data", (data: Buffer) => {
    streams.stderr += data;
  });
  return {
    kill: (signal) => child.kill(signal),
    written: async (text) => {
      while (!`${streams.stdout}${streams.stderr}`.includes(text)) await new Promise((wake) => setTimeout(wake, 20));
    },
    ended: new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, ...streams }))),
  };
}
