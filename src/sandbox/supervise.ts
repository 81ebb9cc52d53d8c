import { constants } from "node:os";
import type { Readable } from "node:stream";
import { SandboxFault } from "../errors.ts";
import type { SandboxCommand, SandboxResult } from "../ports/sandbox.ts";
import { type Capture, createCapture } from "./capture.ts";
import { tellsMissingProgram } from "./clean-argv.ts";

export type Limit = "memory" | "processes" | "disk";

/** A command that was started in a sandbox. */
export interface Running {
  stdout: Readable;
  stderr: Readable;
  /** Settles when the command and every process that it started are gone. */
  ended: Promise<Exit>;
  /** Kills everything; `ended` settles soon after. Safe to call twice, and after the end. */
  kill(): void;
}

export interface Exit {
  /** Exit status as a shell tells it, 128 + n for signal n; null when the sandbox ended without starting the command. */
  code: number | null;
  /** A limit that was reached on the way. */
  limit: Limit | null;
}

/**
 * Sees a started command to its end: captures its output, and kills it when its time is over or `signal` aborts. Times
 * are told since `startedAtMs`, of `performance.now()`.
 * Rejects with the signal's reason when that aborted.
 * @throws {SandboxFault} the sandbox could not start the command, or the program does not exist.
 */
export async function supervise(
  running: Running,
  { command, startedAtMs }: { command: SandboxCommand; startedAtMs: number },
  signal: AbortSignal,
): Promise<SandboxResult> {
  const sinceStart = () => Math.round(performance.now() - startedAtMs);
  const stdout = createCapture(command.limits.outputBytes);
  const stderr = createCapture(command.limits.outputBytes);
  let firstOutputMs: number | null = null;
  let timedOut = false;

  const capture = (stream: Readable, into: Capture) =>
    stream.on("data", (chunk: Buffer) => {
      firstOutputMs ??= sinceStart();
      into.write(chunk);
    });
  capture(running.stdout, stdout);
  capture(running.stderr, stderr);
  const timer = setTimeout(() => {
    timedOut = true;
    running.kill();
  }, command.limits.wallTimeMs);
  signal.addEventListener("abort", running.kill, { once: true });
  if (signal.aborted) running.kill();

  try {
    const exit = await running.ended.finally(() => signal.throwIfAborted());
    return {
      ending: timedOut && exit.limit === null ? { how: "timeout" } : endingOf(exit, command, stderr.text()),
      stdout: stdout.text(),
      stderr: stderr.text(),
      stdoutBytes: stdout.bytes,
      stderrBytes: stderr.bytes,
      durationMs: sinceStart(),
      firstOutputMs,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", running.kill);
  }
}

/**
 * A limit explains every end but success. A status above 128 that names a signal is told as that signal: neither
 * bubblewrap nor Docker tells the two apart.
 */
function endingOf(exit: Exit, command: SandboxCommand, stderr: string): SandboxResult["ending"] {
  const { code, limit } = exit;
  if (limit !== null && code !== 0) return { how: "limit", limit };
  if (code === null) throw new SandboxFault(`the sandbox did not start: ${stderr.trim()}`, { retryable: true });
  if (code === 127 && tellsMissingProgram(stderr, command.argv[0])) {
    throw new SandboxFault(`no program ${command.argv[0]} in the sandbox`, { retryable: false });
  }
  const signal = signalOf(code);
  if (signal === "SIGXFSZ") return { how: "limit", limit: "disk" };
  return signal === null ? { how: "exited", code } : { how: "signal", signal };
}

function signalOf(code: number): string | null {
  const entry = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return entry === undefined ? null : entry[0];
}
