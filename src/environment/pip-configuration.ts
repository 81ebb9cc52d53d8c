import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import type { SandboxMount } from "../ports/sandbox.ts";

/** The options of this machine's pip that decide where packages come from; values as written, lists separated by spaces. */
export const PipConfiguration = z.record(z.string(), z.string());
export type PipConfiguration = z.infer<typeof PipConfiguration>;

const PYPI_INDEX = "https://pypi.org/simple";
const PYPI_HOSTS = ["pypi.org", "files.pythonhosted.org"];
const PYTORCH_HOSTS = ["download.pytorch.org", "download-r2.pytorch.org"];
const HANDED_ON = new Set([
  "index-url",
  "extra-index-url",
  "find-links",
  "no-index",
  "cert",
  "constraint",
  "trusted-host",
  "timeout",
  "default-timeout",
  "retries",
]);

/**
 * Options as pip itself would take them here: its files and `PIP_…` variables. Index URLs may hold credentials.
 * Empty where there is no Python or its pip cannot tell.
 */
export async function readPipConfiguration(signal: AbortSignal): Promise<PipConfiguration> {
  const script = join(import.meta.dirname, "python", "pip_configuration.py");
  const { stdout } = await promisify(execFile)("python3", ["-B", script], { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return { stdout: "{}" };
  });
  const options = Object.entries(PipConfiguration.parse(JSON.parse(stdout)));
  return Object.fromEntries(options.filter(([name]) => HANDED_ON.has(name)));
}

/** URLs of the package indexes, in the order that they are asked; none where pip is told to use none. */
export function pipIndexes(configuration: PipConfiguration): string[] {
  if (withoutIndex(configuration)) return [];
  const [main = PYPI_INDEX] = words(configuration["index-url"]);
  const named = [main, ...words(configuration["extra-index-url"])];
  return [...new Set(named.map((index) => (URL.canParse(index) ? index : pathToFileURL(resolve(index)).href)))];
}

/** Hosts that an installation has to reach, with a port where it is not the scheme's own; sorted. */
export function pipHosts(configuration: PipConfiguration): string[] {
  if (withoutIndex(configuration)) return linkHosts(configuration);
  const usual = configuration["index-url"] === undefined ? PYPI_HOSTS : [];
  return [...new Set([...usual, ...PYTORCH_HOSTS, ...linkHosts(configuration)])].sort();
}

function withoutIndex(configuration: PipConfiguration): boolean {
  const value = configuration["no-index"] ?? "";
  return value !== "" && !["0", "false", "no", "off"].includes(value.toLowerCase());
}

function linkHosts(configuration: PipConfiguration): string[] {
  const hosts = sources(configuration)
    .filter((source) => /^https?:/.test(source))
    .map((source) => new URL(source).host);
  // PyPI's own index, written out, links to files on another host.
  return hosts.includes("pypi.org") ? [...hosts, ...PYPI_HOSTS] : hosts;
}

/** What local indexes, link folders and constraints need in the sandbox: at the same path, read-only. */
export function pipMounts(configuration: PipConfiguration): SandboxMount[] {
  const paths = [...sources(configuration), ...words(configuration.constraint)].flatMap(localPath);
  return [...new Set(paths)].flatMap((path) => {
    const hostPath = existing(path);
    return hostPath === null ? [] : [{ hostPath, sandboxPath: path, writable: false }];
  });
}

/** The options as a `pip.conf`, paths made absolute. */
export function pipConfigurationFile(configuration: PipConfiguration): string {
  const lines = Object.entries(configuration).map(([name, value]) => {
    const values = words(value).map((word) => (isPath(name, word) ? resolve(word) : word));
    return `${name} = ${values.join(" ")}`;
  });
  return `${["[global]", ...lines].join("\n")}\n`;
}

/** The text without the credentials of any URL in it. */
export function withoutCredentials(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, "$1");
}

function sources(configuration: PipConfiguration): string[] {
  return ["index-url", "extra-index-url", "find-links"].flatMap((name) => words(configuration[name]));
}

function words(value: string | undefined): string[] {
  return value?.split(/\s+/).filter((word) => word !== "") ?? [];
}

function isPath(option: string, word: string): boolean {
  return ["constraint", "find-links"].includes(option) && !/^[a-z]+:\/\//i.test(word);
}

/** A local index in the usual layout (`…/simple`) links to files beside it. */
function localPath(source: string): string[] {
  if (/^https?:/i.test(source)) return [];
  const path = source.startsWith("file:") ? fileURLToPath(source) : resolve(source);
  return [basename(path) === "simple" && dirname(path) !== "/" ? dirname(path) : path];
}

function existing(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
