import { existsSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../src/cli.ts";
import { buildDependencies } from "./build-dependencies.ts";

// The project's own file only: one in the current folder may be somebody else's.
const settings = join(import.meta.dirname, "..", ".env");
if (existsSync(settings)) process.loadEnvFile(settings);

/** A signal to the process group comes here twice: by itself, and passed on by the launcher. */
const SAME_SIGNAL_MS = 1_000;

const controller = new AbortController();
let stoppedAtMs = 0;
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    if (!controller.signal.aborted) {
      stoppedAtMs = performance.now();
      controller.abort(new Error(`stopped by ${name}`));
    } else if (performance.now() - stoppedAtMs > SAME_SIGNAL_MS) {
      // From somebody who will not wait for the clean end.
      process.exit(130);
    }
  });
}

const { stdout, stderr, env } = process;
const io = { stdout, stderr, env, cwd: process.cwd() };
process.exitCode = await runCli(process.argv.slice(2), io, buildDependencies, controller.signal);
