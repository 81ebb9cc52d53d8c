import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withLock } from "../../src/environment/lock.ts";

const signal = new AbortController().signal;
const module = join(import.meta.dirname, "../../src/environment/lock.ts");
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "repgen-test-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe("withLock", () => {
  it("lets one call at a time in, also within one process", async () => {
    const path = join(folder, "a.lock");
    const events: string[] = [];
    const work = (name: string) => async () => {
      events.push(`${name} in`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      events.push(`${name} out`);
      return name;
    };

    const results = await Promise.all([withLock(path, work("a"), signal), withLock(path, work("b"), signal)]);

    expect(results).toEqual(["a", "b"]);
    expect(events).toEqual(["a in", "a out", "b in", "b out"]);
  });

  it("gives the lock back when the work throws", async () => {
    const path = join(folder, "a.lock");

    await expect(withLock(path, () => Promise.reject(new Error("no")), signal)).rejects.toThrow("no");

    expect(await withLock(path, async () => "next", signal)).toBe("next");
  });

  it("waits for another process and takes over when that one is killed", async () => {
    const path = join(folder, "a.lock");
    const script = `
      import { withLock } from ${JSON.stringify(module)};
      await withLock(${JSON.stringify(path)}, () => new Promise(() => { console.log("held"); setInterval(() => {}, 1000); }), new AbortController().signal);
    `;
    const holder = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");

    await expect(withLock(path, async () => "in", AbortSignal.timeout(500))).rejects.toThrow();
    holder.kill("SIGKILL");
    await once(holder, "exit");

    expect(await withLock(path, async () => "in", signal)).toBe("in");
  });
});
