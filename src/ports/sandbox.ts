/** Runs untrusted commands, each in a container of its own. */
export interface Sandbox {
  /** For people and logs: `Docker 28.2 (runc), image repgen-sandbox:bookworm`. */
  readonly description: string;
  /**
   * Names the userland (kind, image id or host release, architecture). An environment built in one sandbox is used
   * only in a sandbox with the same identity.
   */
  readonly identity: string;
  /**
   * Python interpreters inside, newest first; folders they need from the host are in `mounts`.
   * @throws {SandboxFault} the sandbox cannot run at all.
   */
  pythons(signal: AbortSignal): Promise<SandboxPython[]>;
  /**
   * Runs `argv` (no shell) and waits until it and every process that it started are gone.
   * A non-zero exit, a signal, a timeout or a limit is a result, with the output so far.
   * When `signal` aborts, everything is killed within two seconds and the promise rejects with the signal's reason.
   * @throws {SandboxFault} the sandbox itself cannot run; `retryable` unless the image or the program is missing.
   */
  run(command: SandboxCommand, signal: AbortSignal): Promise<SandboxResult>;
}

export interface SandboxPython {
  /** Absolute path inside the sandbox. */
  path: string;
  /** `3.11.7`. */
  version: string;
  mounts: SandboxMount[];
}

export interface SandboxMount {
  /** Absolute; a folder or a file. Links below it are not followed out of it. */
  hostPath: string;
  /** Absolute, inside the sandbox. */
  sandboxPath: string;
  writable: boolean;
}

export interface SandboxCommand {
  argv: readonly [string, ...string[]];
  /** The whole environment, beside `PATH`, `HOME=/tmp` and `LANG=C.UTF-8`. Nothing of the host's is passed on. */
  env: Record<string, string>;
  /** Absolute, inside the sandbox. (Default: `/tmp`.) */
  cwd?: string;
  /** In order; a later one may lie below an earlier one. */
  mounts: SandboxMount[];
  /** `none`: no interface but loopback. `registries`: HTTP(S) to package registries only, through the proxy that `HTTPS_PROXY` names. */
  network: "none" | "registries";
  /** Hosts beside the registries, with public addresses and on the usual ports only. (Default: none.) */
  alsoReach?: readonly string[];
  limits: SandboxLimits;
  /** GPUs passed through, by UUID or index; none for an empty list. */
  gpus: readonly string[];
}

export interface SandboxLimits {
  wallTimeMs: number;
  /** Of all processes together, where the host can count that; of each one otherwise (`description` says which). */
  memoryBytes: number;
  processes: number;
  /** Kept of each stream: the first half and the last half, with a line between that says how many bytes were left out. */
  outputBytes: number;
  /** Size of `/tmp`, the only place that can be written beside writable mounts. */
  diskBytes: number;
}

export interface SandboxResult {
  ending:
    | { how: "exited"; code: number }
    /** A signal ended the command itself; `SIGKILL` that a limit sent is told as `limit`. */
    | { how: "signal"; signal: string }
    | { how: "timeout" }
    | { how: "limit"; limit: "memory" | "processes" | "disk" };
  /** Decoded as UTF-8; bytes that are not are replaced. */
  stdout: string;
  stderr: string;
  /** Bytes that were written, kept or not. */
  stdoutBytes: number;
  stderrBytes: number;
  durationMs: number;
  /** From the start of `run` to the first byte of output; null for none. */
  firstOutputMs: number | null;
}
