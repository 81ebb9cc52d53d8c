import { runCli } from "../src/cli.ts";
import { buildBackground } from "./build-background.ts";
import { buildDependencies } from "./build-dependencies.ts";
import { loadSettings } from "./load-settings.ts";
import { untilStopped } from "./until-stopped.ts";

loadSettings();
const signal = untilStopped();
const { stdout, stderr, env } = process;
const io = { stdout, stderr, env, cwd: process.cwd() };
process.exitCode = await runCli(process.argv.slice(2), io, { buildDependencies, buildBackground }, signal);
