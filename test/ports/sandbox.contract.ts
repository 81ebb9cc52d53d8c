import { describe, expect, it } from "vitest";
import { SandboxFault } from "../../src/errors.ts";
import { type SandboxBench, type SandboxUnderTest, useBench } from "./sandbox-bench.ts";
import { isolationContract } from "./sandbox-isolation.contract.ts";
import { limitsContract } from "./sandbox-limits.contract.ts";

/** What every sandbox promises, whatever it is made of. */
export function sandboxContract(name: string, underTest: SandboxUnderTest): void {
  describe(`${name} as a sandbox`, () => {
    const bench = useBench(underTest);
    commandContract(bench);
    isolationContract(bench);
    limitsContract(bench);
  });
}

/** How a command is started and how its end is told. */
function commandContract(bench: SandboxBench): void {
  const { run, python } = bench;

  describe("a command", () => {
    it("gets its arguments without a shell", async () => {
      const result = await run(["printf", "%s|", "$HOME", "a  b", "*", ""]);

      expect(result).toEqual({
        ending: { how: "exited", code: 0 },
        stdout: "$HOME|a  b|*||",
        stderr: "",
        stdoutBytes: 14,
        stderrBytes: 0,
        durationMs: expect.any(Number),
        firstOutputMs: expect.any(Number),
      });
    });

    it("ends with its own status, and its two streams stay apart", async () => {
      const result = await run(["sh", "-c", "echo out; echo err >&2; exit 7"]);

      expect(result).toMatchObject({ ending: { how: "exited", code: 7 }, stdout: "out\n", stderr: "err\n" });
    });

    it("sees exactly the environment it was given", async () => {
      const { stdout } = await run(["env"], { env: { GIVEN: "a b=c" } });

      const variables = stdout.trim().split("\n").sort();
      expect(variables).toEqual(["GIVEN=a b=c", "HOME=/tmp", "LANG=C.UTF-8", expect.stringMatching(/^PATH=\/usr/)]);
    });

    it("has nothing open but its standard streams, which open by name", async () => {
      const source = 'import os; text = str(sorted(os.listdir("/proc/self/fd"))); open("/dev/stdout", "w").write(text)';

      const { stdout } = await python(source);

      expect(stdout).toBe("['0', '1', '2', '3']");
    });

    it("starts in /tmp, or where it is told", async () => {
      const inTmp = await run(["pwd"]);
      const inUsr = await run(["pwd"], { cwd: "/usr/lib" });

      expect([inTmp.stdout, inUsr.stdout]).toEqual(["/tmp\n", "/usr/lib\n"]);
    });

    it("that a signal ends is told with the signal", async () => {
      const { ending } = await python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)");

      expect(ending).toEqual({ how: "signal", signal: "SIGSEGV" });
    });

    it("that does not exist is a fault that trying again does not mend", async () => {
      const running = run(["no-such-program"]);

      await expect(running).rejects.toThrow(SandboxFault);
      await expect(running).rejects.toMatchObject({ retryable: false });
    });

    it("is told when its first output came", async () => {
      const { firstOutputMs, durationMs } = await python(
        "import time; time.sleep(0.5); print(1, flush=True); time.sleep(0.5)",
      );
      const silent = await run(["true"]);

      expect(firstOutputMs).toBeGreaterThanOrEqual(500);
      expect(durationMs - (firstOutputMs ?? 0)).toBeGreaterThanOrEqual(450);
      expect(silent.firstOutputMs).toBeNull();
    });
  });

  it("tells its Pythons, newest first, and each of them runs", async () => {
    const pythons = await bench.sandbox().pythons(AbortSignal.timeout(60_000));

    expect(pythons.length).toBeGreaterThan(0);
    for (const { path, version, mounts } of pythons) {
      const { stdout } = await run([path, "-c", "import ssl, venv, platform; print(platform.python_version())"], {
        mounts,
      });
      expect(stdout).toBe(`${version}\n`);
    }
    const minors = pythons.map(({ version }) => Number(version.split(".")[1]));
    expect(minors).toEqual([...minors].sort((a, b) => b - a));
  });
}
