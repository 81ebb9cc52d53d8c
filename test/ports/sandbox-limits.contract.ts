import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LIMITS, MIB, processesWith, type SandboxBench } from "./sandbox-bench.ts";

/** Double-forks a daemon with `marker` among its arguments that ignores SIGTERM and has no terminal, then goes on. */
const DAEMON = `
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.execvp(sys.executable, [sys.executable, "-c", "import time; time.sleep(1000)", sys.argv[1]])
time.sleep(0.3)
`;

/** What a command may take, and that nothing of it stays. */
export function limitsContract(bench: SandboxBench): void {
  const { run, python } = bench;

  describe("output", () => {
    it("without end keeps both ends, counts all and takes no memory here", { timeout: 120_000 }, async () => {
      const source = `
import sys
sys.stdout.buffer.write(b"first")
for _ in range(1024): sys.stdout.buffer.write(b"x" * 2**20)
sys.stdout.buffer.write(b"last")`;
      const before = process.memoryUsage().rss;
      let peak = before;
      const sampling = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage().rss);
      }, 50);

      const { stdout, stdoutBytes } = await python(source, { limits: { wallTimeMs: 100_000 } });
      clearInterval(sampling);

      const total = 1024 * MIB + 9;
      expect(stdoutBytes).toBe(total);
      const half = LIMITS.outputBytes / 2;
      expect(stdout).toBe(
        `first${"x".repeat(half - 5)}\n[${total - LIMITS.outputBytes} bytes left out]\n${"x".repeat(half - 4)}last`,
      );
      expect(peak - before).toBeLessThan(200 * MIB);
    });

    it("that is not UTF-8 is replaced", async () => {
      const { stdout, stdoutBytes } = await run(["printf", "a\\377b"]);

      expect({ stdout, stdoutBytes }).toEqual({ stdout: "a\ufffdb", stdoutBytes: 3 });
    });
  });

  describe("limits", () => {
    it("end a command that takes too much memory", async () => {
      const { ending } = await python("x = []\nwhile True: x.append(bytearray(2**24))");

      expect(ending).toEqual({ how: "limit", limit: "memory" });
    });

    it("hold a fork bomb", async () => {
      const { ending } = await python("import os\nwhile True: os.fork()", { limits: { wallTimeMs: 10_000 } });

      expect([
        { how: "limit", limit: "processes" },
        { how: "exited", code: 1 },
      ]).toContainEqual(ending);
    });

    it("hold what fills /tmp, in one file and in many", async () => {
      const many = `
total = 0
try:
  for number in range(1000):
      with open("/tmp/%d" % number, "wb", 0) as file: total += file.write(b"x" * 2**20)
except OSError as error: print(error.strerror, total <= 16 * 2**20)`;

      const one = await run(["sh", "-c", "cat /dev/zero > /tmp/file"]);

      expect(one.ending).toEqual({ how: "limit", limit: "disk" });
      expect((await python(many)).stdout).toBe("No space left on device True\n");
    });

    it("end a command whose time is over, and keep its output so far", async () => {
      const { ending, stdout, durationMs } = await run(["sh", "-c", "echo before; sleep 100"], {
        limits: { wallTimeMs: 1_000 },
      });

      expect({ ending, stdout }).toEqual({ ending: { how: "timeout" }, stdout: "before\n" });
      expect(durationMs).toBeLessThan(3_000);
    });
  });

  describe("the end", () => {
    it("leaves no daemon behind, after an exit or a timeout", async () => {
      const marker = randomUUID();

      const exited = await python(DAEMON, {}, marker);
      const timedOut = await python(`${DAEMON}\ntime.sleep(1000)`, { limits: { wallTimeMs: 1_500 } }, marker);

      expect([exited.ending, timedOut.ending]).toEqual([{ how: "exited", code: 0 }, { how: "timeout" }]);
      expect(await processesWith(marker)).toEqual([]);
    });

    it("comes within two seconds of an abort, with its reason, for daemons too", async () => {
      const marker = randomUUID();
      const controller = new AbortController();
      const running = python(`${DAEMON}\ntime.sleep(1000)`, { signal: controller.signal }, marker).catch(
        (error: unknown) => error,
      );
      while ((await processesWith(marker)).length === 0) await sleep(20);

      const abortedAtMs = performance.now();
      controller.abort(new Error("cancelled"));

      expect(await running).toEqual(new Error("cancelled"));
      expect(performance.now() - abortedAtMs).toBeLessThan(2_000);
      expect(await processesWith(marker)).toEqual([]);
    });

    it("comes before the start for a signal that is aborted already", async () => {
      const running = run(["true"], { signal: AbortSignal.abort(new Error("cancelled")) });

      await expect(running).rejects.toEqual(new Error("cancelled"));
    });
  });
}
