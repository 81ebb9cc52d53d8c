import { spawn } from "node:child_process";
import { RepositoryFault } from "../errors.ts";

/** What of our own environment git may see: how to find it, and how to reach the network. */
const PASSED_ON = ["PATH", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "GIT_SSL_CAINFO"];

/** Settings that no repository's own configuration overrides: nothing of a repository is ever executed. */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.attributesFile=/dev/null",
  "credential.helper=",
  "protocol.allow=never",
  "submodule.recurse=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=60",
];

export interface GitCredentials {
  /** Of the one server that gets them, wherever it redirects to: `https://github.com`. */
  origin: string;
  user: string;
  password: string;
}

/** A credential helper, as git starts it with the operation as its argument. The values are in git's environment. */
const HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$REPGEN_GIT_USER" "$REPGEN_GIT_PASSWORD"; }; f';

export interface GitOptions {
  gitDirectory?: string;
  /** Reads objects from here, whatever the git directory says. */
  objectDirectory?: string;
  /** The one protocol that may be spoken. (Default: none.) */
  protocol?: "https" | "file";
  /** For a server that asks for them; never on a command line and never stored. */
  credentials?: GitCredentials | undefined;
  /** Stops when git says nothing for so long. (Default: no limit.) */
  stallMs?: number;
  onProgress?: (text: string) => void;
}

export interface GitResult {
  exitCode: number;
  stdout: Buffer;
  stderr: string;
}

/**
 * Starts git without a shell, without the user's configuration, and with everything disabled that could run code.
 * User input belongs after `--` or `--end-of-options`.
 */
export function spawnGit(args: readonly string[], options: GitOptions) {
  const settings = [...SETTINGS];
  if (options.protocol !== undefined) settings.push(`protocol.${options.protocol}.allow=always`);
  if (options.credentials !== undefined) settings.push(`credential.${options.credentials.origin}.helper=${HELPER}`);
  if (options.gitDirectory !== undefined) settings.push(`safe.directory=${options.gitDirectory}`);
  return spawn("git", [...settings.flatMap((setting) => ["-c", setting]), ...args], {
    env: gitEnvironment(options),
    cwd: "/",
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/**
 * Runs git to its end. A non-zero exit is a result.
 * @throws {RepositoryFault} git is not there, or it made no progress for `stallMs`.
 */
export async function git(args: readonly string[], options: GitOptions, signal: AbortSignal): Promise<GitResult> {
  signal.throwIfAborted();
  const child = spawnGit(args, options);
  const kill = () => killGroup(child.pid);
  const stdout: Buffer[] = [];
  let stderr = "";
  let stalled = false;
  const onStall = () => {
    stalled = true;
    kill();
  };
  const timer = options.stallMs === undefined ? null : setTimeout(onStall, options.stallMs);

  child.stdin.on("error", () => {});
  child.stdin.end();
  child.stdout.on("data", (bytes: Buffer) => {
    timer?.refresh();
    stdout.push(bytes);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    timer?.refresh();
    stderr = (stderr + text).slice(-8_000);
    options.onProgress?.(lastLine(text));
  });
  signal.addEventListener("abort", kill, { once: true });
  try {
    const exitCode = await ended(child);
    signal.throwIfAborted();
    if (stalled) throw new RepositoryFault(`git ${args[0]} made no progress`, { retryable: true });
    return { exitCode, stdout: Buffer.concat(stdout), stderr };
  } finally {
    signal.removeEventListener("abort", kill);
    if (timer !== null) clearTimeout(timer);
  }
}

/** Like `git`, for a command that has no business failing. */
export async function gitText(args: readonly string[], options: GitOptions, signal: AbortSignal): Promise<string> {
  const { exitCode, stdout, stderr } = await git(args, options, signal);
  if (exitCode === 0) return stdout.toString("utf8").trim();
  throw new RepositoryFault(`git ${args[0]} failed: ${firstLine(stderr)}`, { retryable: false });
}

/** What git complains of, in one line. */
export function firstLine(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  const telling = lines.find((line) => /^(remote: )?(fatal|error):/i.test(line));
  return (telling ?? lines[0] ?? "no explanation").replace(/\p{Cc}/gu, "").trim();
}

/** Ends a process and what it started; one that is gone already is fine. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

function ended(child: ReturnType<typeof spawnGit>): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("close", (code) => resolve(code ?? 128));
    child.once("error", (cause) =>
      reject(new RepositoryFault("git cannot be started: is it installed?", { retryable: false, cause })),
    );
  });
}

function gitEnvironment({ gitDirectory, objectDirectory, credentials }: GitOptions): NodeJS.ProcessEnv {
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(passedOn),
    ...(gitDirectory === undefined ? {} : { GIT_DIR: gitDirectory }),
    ...(objectDirectory === undefined ? {} : { GIT_OBJECT_DIRECTORY: objectDirectory }),
    ...(credentials === undefined
      ? {}
      : { REPGEN_GIT_USER: credentials.user, REPGEN_GIT_PASSWORD: credentials.password }),
    HOME: "/nonexistent",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };
}

/** Without control characters: what a remote says ends up on terminals. */
function lastLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.replace(/\p{Cc}/gu, "").trim());
  return lines.findLast((line) => line !== "") ?? "";
}
