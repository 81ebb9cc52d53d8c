/**
 * Makes a fresh clone ready, then runs what follows `--`:
 *
 *   node scripts/setup.mjs [--no-environment] [-- COMMAND ARGUMENT…]
 *
 * Packages of npm, programs of the system, and the Python environment that all others build on. What is there is left
 * as it is, without a word. COMMAND is `repgen` or a program of node_modules/.bin, and runs under Node 24.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findNode, root, runInPlace } from "./node24.mjs";
import { isSetUp, noteSetUp } from "./setup-stamp.mjs";
import { missingPrograms } from "./system-programs.mjs";

const bin = join(root, "node_modules", ".bin");

await main(process.argv.slice(2));

async function main(args) {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const options = args.slice(0, end);
  const command = args.slice(end + 1);
  const unknown = options.find((option) => option !== "--no-environment");
  if (unknown !== undefined)
    stop(`Unknown option ${unknown}. Usage: node scripts/setup.mjs [--no-environment] [-- COMMAND …]`);
  if (!packagesInstalled()) await step("installing npm packages", "npm", ["ci"]);
  const node = findNode();
  if (node === null)
    stop("npm installed no Node 24. Is it set to ignore scripts? Run: npm rebuild node --ignore-scripts=false");
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
  if (!options.includes("--no-environment") && !isSetUp()) {
    await provideSystemPrograms();
    await step("preparing the Python environment", node, [join(root, "bin", "repgen.mjs"), "setup"], env);
    noteSetUp();
  }
  if (command.length > 0) runInPlace(node, [programPath(command[0]), ...command.slice(1)], env);
}

/** Is what package-lock.json says what npm noted at the end of its last installation? */
function packagesInstalled() {
  const noted = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(noted) || findNode() === null) return false;
  const installed = JSON.parse(readFileSync(noted, "utf8")).packages;
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries(packages).every(
    ([path, wanted]) => path === "" || wanted.optional || installed[path]?.version === wanted.version,
  );
}

async function provideSystemPrograms() {
  const missing = missingPrograms();
  if (missing.length === 0) return;
  const packages = [...new Set(missing.flatMap((program) => program.packages))];
  const install = ["apt-get", "install", "--yes", "--no-install-recommends", ...packages];
  const names = missing.map((program) => program.name).join(", ");
  const asRoot = rootPrefix();
  if (asRoot === null) {
    stop(`Not there: ${names}. Run this, or install them as this system does it:\n\n  sudo ${install.join(" ")}\n`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await step("reading the list of system packages", ...commandOf([...asRoot, "apt-get", "update", "--quiet"]), env);
  await step(`installing ${packages.join(", ")}`, ...commandOf([...asRoot, ...install]), env);
  const still = missingPrograms();
  if (still.length > 0) stop(`Still not there after the installation: ${still.map(({ name }) => name).join(", ")}.`);
}

function commandOf([program, ...args]) {
  return [program, args];
}

/** What goes before a command to run it as root without being asked for a password; null when that cannot be. */
function rootPrefix() {
  const succeeds = (program, ...args) => spawnSync(program, args, { stdio: "ignore" }).status === 0;
  if (!succeeds("apt-get", "--version")) return null;
  if (process.getuid?.() === 0) return [];
  return succeeds("sudo", "-n", "true") ? ["sudo", "-n"] : null;
}

function programPath(name) {
  if (name === "repgen") return join(root, "bin", "repgen.mjs");
  const link = join(bin, name);
  if (!existsSync(link)) stop(`No such program: ${link}`);
  return realpathSync(link);
}

/** Runs a program that a fresh clone has to wait for, and ends with its exit status when it fails. */
async function step(what, program, args, env = process.env) {
  const startMs = Date.now();
  process.stderr.write(`setup: ${what}…\n`);
  const exitCode = await run(program, args, env);
  if (exitCode !== 0) stop(`setup: ${what} failed (exit status ${exitCode}).`, exitCode);
  process.stderr.write(`setup: ${what}: done in ${Math.round((Date.now() - startMs) / 1000)} s\n`);
}

/** Runs a program to its end, signals and streams shared; answers its exit status, 128 and more for a signal. */
function run(program, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, env, stdio: "inherit" });
    const forward = (signal) => {
      if (!process.stdin.isTTY || signal === "SIGTERM") child.kill(signal);
    };
    process.on("SIGINT", forward).on("SIGTERM", forward);
    child.on("error", reject);
    child.on("exit", (code) => {
      process.off("SIGINT", forward).off("SIGTERM", forward);
      resolve(code ?? 130);
    });
  });
}

function stop(message, exitCode = 1) {
  process.stderr.write(`${message}\n`);
  process.exit(exitCode);
}
