import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox, SandboxCommand, SandboxResult } from "../../src/ports/sandbox.ts";
import type { Place } from "../../src/types.ts";

export const place: Place = {
  checkout: { path: "/nowhere/checkout", commit: "0".repeat(40), label: "test", leftOut: [] },
  environment: {
    python: "/env/bin/python",
    pythonVersion: "3.11.0",
    mounts: [{ hostPath: "/nowhere/env", sandboxPath: "/env" }],
    packages: {},
    substitutions: [],
    pythonPath: ["/project", "/project/src"],
    projectInstalled: true,
  },
  memoryBytes: 1024 ** 3,
  gpus: [],
};

/** A sandbox that runs nothing: it keeps the commands, and leaves a result and an ending as told. */
export function scriptedSandbox(script: {
  ending?: SandboxResult["ending"];
  /** Text of `result.json`; a link to a path, or a folder, in its place. */
  result?: string | { linkTo: string } | { folder: true };
}): Sandbox & { commands: SandboxCommand[] } {
  const commands: SandboxCommand[] = [];
  return {
    description: "scripted",
    identity: "scripted",
    commands,
    pythons: async () => [],
    async run(command) {
      commands.push(command);
      const out = command.mounts.find((mount) => mount.sandboxPath === "/out")?.hostPath ?? "";
      const path = join(out, "result.json");
      const { result } = script;
      if (typeof result === "string") await writeFile(path, result);
      else if (result !== undefined && "linkTo" in result) await symlink(result.linkTo, path);
      else if (result !== undefined) await mkdir(path);
      return {
        ending: script.ending ?? { how: "exited", code: 0 },
        stdout: "out",
        stderr: "err",
        stdoutBytes: 3,
        stderrBytes: 3,
        durationMs: 5,
        firstOutputMs: null,
      };
    },
  };
}
