import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxBench } from "./sandbox-bench.ts";

/** What a command gets of the host: its mounts, package registries where it may, and nothing else. */
export function isolationContract(bench: SandboxBench): void {
  const { run, python, mount } = bench;

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
      await writeFile(join(bench.folder(), "secret"), "planted-secret");

      const { stderr } = await run(["cat", join(bench.folder(), "secret")]);
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
      const [, port] = bench.address().split(":");
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
      const file = { hostPath: join(bench.folder(), "spec.json"), sandboxPath: "/job/spec.json", writable: false };
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

  describe("registries", () => {
    const fetchAll = `
import sys, urllib.request
for url in sys.argv[1:]:
  request = urllib.request.Request(url, headers={"Authorization": "x", "Cookie": "x", "X-Kept": "x"})
  try: print(urllib.request.urlopen(request, timeout=5).read().decode())
  except Exception as error: print(error)`;

    it("are reached where the caller vouches for the host, without credentials", async () => {
      const { stdout, stderr } = await python(fetchAll, { network: "registries" }, `http://${bench.address()}/simple/`);

      expect(stderr).toBe("");
      const headers = JSON.parse(stdout);
      expect(headers).toMatchObject({ host: bench.address(), "x-kept": "x" });
      expect(Object.keys(headers).filter((name) => /authorization|cookie/.test(name))).toEqual([]);
    });

    it("are all that is reached", async () => {
      const [, port] = bench.address().split(":");
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
}
