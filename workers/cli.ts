import { existsSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../src/cli.ts";
import { buildDependencies } from "./build-dependencies.ts";

// The project's own file only: one in the current folder may be somebody else's.
const settings = join(import.meta.dirname, "..", ".env");
if (existsSync(settings)) process.loadEnvFile(settings);

const controller = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    // A second one is from somebody who will not wait for the clean end.
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Error(`stopped by ${name}`));
  });
}

const { stdout, stderr, env } = process;
const io = { stdout, stderr, env, cwd: process.cwd() };
process.exitCode = await runCli(process.argv.slice(2), io, buildDependencies, controller.signal);
