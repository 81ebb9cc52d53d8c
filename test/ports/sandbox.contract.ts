import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SandboxFault } from "../../src/errors.ts";
import type { Sandbox, SandboxCommand, SandboxLimits, SandboxMount, SandboxResult } from "../../src/ports/sandbox.ts";

/** How an adapter is put under the contract. */
export interface SandboxUnderTest {
  /** `registries`: hosts that the caller vouches for, `host:port`. */
  create(options: { registries: { hosts: string[] } }): Promise<Sandbox>;
  /** Names of containers, control groups and the like that exist for commands of this process. */
  leftovers(): Promise<string[]>;
}

type Overrides = Partial<Omit<SandboxCommand, "argv" | "limits">> & {
  limits?: Partial<SandboxLimits>;
  signal?: AbortSignal;
};

const MIB = 2 ** 20;
const LIMITS: SandboxLimits = {
  wallTimeMs: 30_000,
  memoryBytes: 256 * MIB,
  processes: 32,
  outputBytes: 64 * 1024,
  diskBytes: 16 * MIB,
};

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

/** What every sandbox promises, whatever it is made of. */
export function sandboxContract(name: string, underTest: SandboxUnderTest): void {
  describe(`${name} as a sandbox`, () => {
    let folder: string;
    let server: Server;
    let address: string;
    let sandbox: Sandbox;

    beforeAll(async () => {
      process.env.REPGEN_PLANTED_SECRET = "planted-secret";
      server = createServer((incoming, response) => response.end(JSON.stringify(incoming.headers)));
      await once(server.listen(0, "127.0.0.1"), "listening");
      address = addressOf(server);
      sandbox = await underTest.create({ registries: { hosts: [address] } });
    });
    afterAll(() => {
      delete process.env.REPGEN_PLANTED_SECRET;
      server.close();
    });
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "repgen-contract-"));
    });
    afterEach(async () => {
      await rm(folder, { recursive: true });
      expect(await underTest.leftovers()).toEqual([]);
    });

    function run(argv: SandboxCommand["argv"], overrides: Overrides = {}): Promise<SandboxResult> {
      const { signal = AbortSignal.timeout(60_000), limits, ...rest } = overrides;
      const command = { argv, env: {}, mounts: [], network: "none" as const, gpus: [], ...rest };
      return sandbox.run({ ...command, limits: { ...LIMITS, ...limits } }, signal);
    }

    function python(source: string, overrides: Overrides = {}, ...args: string[]): Promise<SandboxResult> {
      return run(["python3", "-c", source, ...args], overrides);
    }

    /** Mounts `name` of this test's folder, which is made when it is missing. */
    async function mount(sandboxPath: string, writable: boolean): Promise<SandboxMount> {
      const hostPath = join(folder, randomUUID());
      await mkdir(hostPath);
      return { hostPath, sandboxPath, writable };
    }

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
        const source =
          'import os; text = str(sorted(os.listdir("/proc/self/fd"))); open("/dev/stdout", "w").write(text)';

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

    describe("isolation", () => {
      it("hides the host's environment, also that of other processes", async () => {
        const source = `
import glob
for path in glob.glob("/proc/[0-9]*/environ"):
    try: print(open(path).read())
    except OSError: pass`;

        const { stdout } = await python(source);

        expect(stdout).toContain("LANG=C.UTF-8");
        expect(stdout).not.toContain("planted-secret");
      });

      it("hides the host's files", async () => {
        await writeFile(join(folder, "secret"), "planted-secret");

        const { stderr } = await run(["cat", join(folder, "secret")]);
        const { stdout } = await run([
          "sh",
          "-c",
          "ls /root/.ssh /home/* /var/run/docker.sock /etc/shadow 2>/dev/null; cat /etc/shadow",
        ]);

        expect(stderr).toContain("No such file");
        expect(stdout.replace("/etc/shadow\n", "")).toBe("");
      });

      it("lets nothing be written but /tmp and writable mounts", async () => {
        const mounts = [await mount("/project", false), await mount("/out", true)];
        const source = `
import os
for top in ["/", "/usr", "/etc", "/dev", "/project", "/proc", "/out", "/tmp", "/dev/shm"]:
    try:
        open(os.path.join(top, "x"), "w").close()
        print(top)
    except OSError: pass`;

        const { stdout } = await python(source, { mounts });

        expect(stdout).toBe("/out\n/tmp\n/dev/shm\n");
      });

      it("runs a user without rights who can't get any", async () => {
        const { stdout } = await run([
          "sh",
          "-c",
          "id -u; grep -E '^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs)' /proc/self/status; unshare -U true || echo refused",
        ]);

        const [uid, ...rest] = stdout.trim().split("\n");
        expect(Number(uid)).toBeGreaterThan(0);
        const none = "0000000000000000";
        expect(rest).toEqual([
          `CapPrm:\t${none}`,
          `CapEff:\t${none}`,
          `CapBnd:\t${none}`,
          `CapAmb:\t${none}`,
          "NoNewPrivs:\t1",
          "refused",
        ]);
      });

      it("has no network but its own loopback", async () => {
        const [, port] = address.split(":");
        const source = `
import socket, sys
print([name for _, name in socket.if_nameindex() if name == "lo" or open("/proc/net/route").read().count(name)])
print(len(open("/proc/net/route").readlines()))
for address in [("127.0.0.1", int(sys.argv[1])), ("1.1.1.1", 80)]:
    try: socket.create_connection(address, 2); print("connected")
    except OSError as error: print(type(error).__name__)`;

        const { stdout } = await python(source, {}, port ?? "");

        expect(stdout).toBe("['lo']\n1\nConnectionRefusedError\nOSError\n");
      });

      it("keeps commands that run at once apart", async () => {
        const source =
          'import sys, time, os; open("/tmp/same", "x").write(sys.argv[1]); time.sleep(0.5); print(open("/tmp/same").read(), len(os.listdir("/tmp")))';

        const results = await Promise.all([python(source, {}, "one"), python(source, {}, "two")]);

        expect(results.map(({ stdout }) => stdout)).toEqual(["one 1\n", "two 1\n"]);
      });
    });

    describe("mounts", () => {
      it("are made at paths that did not exist, also a single file and one below another", async () => {
        const outer = await mount("/env/deep/outer", false);
        const inner = await mount("/env/deep/outer/inner", true);
        const file = { hostPath: join(folder, "spec.json"), sandboxPath: "/job/spec.json", writable: false };
        await mkdir(join(outer.hostPath, "inner"));
        await writeFile(file.hostPath, "{}");

        const { stdout, stderr } = await run(
          ["sh", "-c", "cat /job/spec.json; ls /env/deep/outer; echo 1 > /env/deep/outer/inner/made"],
          {
            mounts: [outer, inner, file],
          },
        );

        expect({ stdout, stderr }).toEqual({ stdout: "{}inner\n", stderr: "" });
        expect(await readdir(inner.hostPath)).toEqual(["made"]);
      });

      it("that are writable are so for the command, and what it makes there is this process's to read and remove", async () => {
        const out = await mount("/out", true);
        await writeFile(join(out.hostPath, "given"), "before");

        await run(["sh", "-c", "umask 077; mkdir /out/made; echo after > /out/made/file; echo after > /out/given"], {
          mounts: [out],
        });

        expect(await readFile(join(out.hostPath, "made/file"), "utf8")).toBe("after\n");
        expect(await readFile(join(out.hostPath, "given"), "utf8")).toBe("after\n");
        await rm(out.hostPath, { recursive: true });
      });
    });

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

    describe("registries", () => {
      const fetchAll = `
import sys, urllib.request
for url in sys.argv[1:]:
    request = urllib.request.Request(url, headers={"Authorization": "x", "Cookie": "x", "X-Kept": "x"})
    try: print(urllib.request.urlopen(request, timeout=5).read().decode())
    except Exception as error: print(error)`;

      it("are reached where the caller vouches for the host, without credentials", async () => {
        const { stdout, stderr } = await python(fetchAll, { network: "registries" }, `http://${address}/simple/`);

        expect(stderr).toBe("");
        const headers = JSON.parse(stdout);
        expect(headers).toMatchObject({ host: address, "x-kept": "x" });
        expect(Object.keys(headers).filter((name) => /authorization|cookie/.test(name))).toEqual([]);
      });

      it("are all that is reached", async () => {
        const [, port] = address.split(":");
        const urls = [`http://localhost:${port}/`, "http://169.254.169.254/", "https://example.com/"];

        const { stdout } = await python(fetchAll, { network: "registries" }, ...urls);

        expect(stdout.trim().split("\n")).toEqual([
          "HTTP Error 403: Forbidden",
          "HTTP Error 403: Forbidden",
          "<urlopen error Tunnel connection failed: 403 example.com:443 is not a package registry>",
        ]);
      });

      it("change nothing about how a command ends", async () => {
        const exited = await run(["sh", "-c", "exit 7"], { network: "registries" });
        const killed = await run(["sh", "-c", "kill -SEGV $$"], { network: "registries" });

        expect(exited.ending).toEqual({ how: "exited", code: 7 });
        expect(killed.ending).toEqual({ how: "signal", signal: "SIGSEGV" });
        await expect(run(["no-such-program"], { network: "registries" })).rejects.toThrow("no program no-such-program");
      });
    });

    it("tells its Pythons, newest first, and each of them runs", async () => {
      const pythons = await sandbox.pythons(AbortSignal.timeout(60_000));

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
  });
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server does not listen on a port");
  return `127.0.0.1:${address.port}`;
}

/** Processes of the host with `marker` among their arguments. */
async function processesWith(marker: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commandLines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return commandLines.filter((line) => line.includes(marker));
}
