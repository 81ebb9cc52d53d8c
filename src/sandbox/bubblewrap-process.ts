import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { DefectFault } from "../errors.ts";
import type { SandboxLimits } from "../ports/sandbox.ts";
import { OWN_ETC } from "./bubblewrap-arguments.ts";
import type { ControlGroup } from "./control-group.ts";
import { watchProcesses } from "./process-watch.ts";
import { killProcess } from "./processes.ts";
import { NOBODY } from "./sandbox-user.ts";
import type { Exit, Running } from "./supervise.ts";
import { systemCallFilter } from "./system-call-filter.ts";

const ETC_FILES = Object.values(OWN_ETC);
const FILTER = systemCallFilter(process.arch);

/** Descriptors that `launchBubblewrap` gives to bubblewrap. */
export const DESCRIPTORS = {
  status: 3,
  start: 4,
  filter: FILTER === null ? null : 5,
  etc: ETC_FILES.map((_, index) => 6 + index),
};

const LAST_DESCRIPTOR = 5 + ETC_FILES.length;

/**
 * Puts real pipes where Node gives sockets, and as root gives them to the sandbox's user: programs open `/dev/stdout`
 * and `/dev/stderr` by name, which no socket and no other's pipe allows. Closes all beyond our descriptors: this
 * process may itself have been given some.
 */
const LAUNCHER = `
exec > >(exec cat) 2> >(exec cat >&2)
((EUID != 0)) || chown ${NOBODY.uid}:${NOBODY.gid} /proc/self/fd/1 /proc/self/fd/2
for fd in /proc/self/fd/*; do fd=\${fd##*/}; ((fd <= ${LAST_DESCRIPTOR})) || exec {fd}>&-; done
exec bwrap "$@"`;

/** Starts `bwrap`; its processes are in `group` before the command starts, or watched where there is none. */
export function launchBubblewrap(args: readonly string[], group: ControlGroup | null, limits: SandboxLimits): Running {
  const stdio = ["ignore", ...new Array(LAST_DESCRIPTOR).fill("pipe")];
  const child = spawn("bash", ["-c", LAUNCHER, "bwrap", ...args], { stdio, env: {}, cwd: "/" });
  send(pipe(child, 5), FILTER ?? "");
  for (const [index, content] of ETC_FILES.entries()) send(pipe(child, 6 + index), content);

  const status = readStatus(pipe(child, DESCRIPTORS.status));
  let over = false;
  const kill = () => {
    void status.init.then((pid) => {
      if (pid !== null && !over) killProcess(pid);
    });
  };

  async function ended(): Promise<Exit> {
    const closed = whenClosed(child);
    const init = await status.init;
    if (init !== null) await group?.add(init).catch(() => child.kill("SIGKILL"));
    const watch = init === null || group !== null ? null : watchProcesses(init, limits, kill);
    send(pipe(child, DESCRIPTORS.start), "\n");
    await closed;
    over = true;
    watch?.stop();
    if (init !== null) await whenGone(init);
    return { code: status.code(), limit: (await group?.limitReached()) ?? watch?.limitReached() ?? null };
  }

  return { stdout: pipe(child, 1), stderr: pipe(child, 2), ended: ended().finally(() => group?.remove()), kill };
}

function pipe(child: ChildProcess, descriptor: number): Socket {
  const stream = child.stdio[descriptor];
  if (!(stream instanceof Socket)) throw new DefectFault(`descriptor ${descriptor} is not a pipe`);
  return stream;
}

/** A reader that is gone by now is told by its exit. */
function send(stream: Socket, content: string | Uint8Array): void {
  stream.on("error", () => undefined);
  stream.end(content);
}

interface Status {
  /** The first process inside, as the host numbers it; null when there was none. */
  init: Promise<number | null>;
  /** Null until the command ended, and for one that was never started. */
  code(): number | null;
}

function readStatus(stream: Socket): Status {
  const init = Promise.withResolvers<number | null>();
  let code: number | null = null;
  const lines = createInterface({ input: stream });
  lines.on("line", (line) => {
    const pid = /"child-pid": (\d+)/.exec(line)?.[1];
    const exit = /"exit-code": (\d+)/.exec(line)?.[1];
    if (pid !== undefined) init.resolve(Number(pid));
    if (exit !== undefined) code = Number(exit);
  });
  lines.on("close", () => init.resolve(null));
  return { init: init.promise, code: () => code };
}

/** Also for a program that could not be started at all. */
function whenClosed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
}

/** A process that leads a pid namespace is gone only after all others in it. */
async function whenGone(pid: number): Promise<void> {
  while (true) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
    if (stat === "" || state === "Z" || state === "X") return;
    await sleep(5);
  }
}
