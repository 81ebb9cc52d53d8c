/** Remembers, in the cache that it is about, that a setup came to its end with the settings of today. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./node24.mjs";

const SETTINGS = /^(REPGEN_|PIP_|DOCKER_HOST$)/;

export function isSetUp() {
  return existsSync(stampPath()) && readFileSync(stampPath(), "utf8") === stamp();
}

export function noteSetUp() {
  mkdirSync(dirname(stampPath()), { recursive: true });
  writeFileSync(stampPath(), stamp());
}

function stampPath() {
  const { REPGEN_CACHE, XDG_CACHE_HOME } = process.env;
  return join(REPGEN_CACHE || join(XDG_CACHE_HOME || join(homedir(), ".cache"), "repgen"), "setup-stamp");
}

/** Changes with the settings that decide where and of what the base environment is built, and with how it is. */
function stamp() {
  const settings = Object.entries(process.env).filter(([name]) => SETTINGS.test(name));
  const recipe = readFileSync(join(root, "src", "environment", "prepare-base.ts"), "utf8");
  return createHash("sha256")
    .update(JSON.stringify([settings.sort(), recipe]))
    .digest("hex");
}
