/** Finds the Node that this project runs on, and runs it; works on every Node from 20. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST_MAJOR = 24;
const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Absolute path of a Node 24 or later: this one if it is, else the one among the packages; null when there is none. */
export function findNode() {
  if (Number(process.versions.node.split(".")[0]) >= OLDEST_MAJOR) return process.execPath;
  const own = join(root, "node_modules", "node", "bin", "node");
  return existsSync(own) ? own : null;
}

/**
 * Runs a program in this one's place: its streams, the signals sent here, and at last its exit status or signal are
 * passed on. The terminal sends its own signals (Ctrl-C) to both, so that they are only waited for here.
 */
export function runInPlace(program, args, env = process.env) {
  const child = spawn(program, args, { stdio: "inherit", env });
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      const sentByTerminal = process.stdin.isTTY && signal !== "SIGTERM" && signal !== "SIGHUP";
      if (!sentByTerminal) child.kill(signal);
    });
  }
  child.on("error", (error) => {
    process.stderr.write(`${program} cannot be run: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
