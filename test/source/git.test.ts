import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RepositoryFault } from "../../src/errors.ts";
import { withFileLock } from "../../src/source/file-lock.ts";
import { firstLine, git } from "../../src/source/git.ts";
import { nearRefs } from "../../src/source/refs.ts";
import { withoutCredentials } from "../../src/source/remote-repository.ts";
import { makeFolder } from "./make-repository.ts";

const { signal } = new AbortController();
const sleep = ["-c", "alias.wait=!sleep 30", "wait"];

describe("git", () => {
  it("tells a non-zero exit as a result", async () => {
    const { exitCode, stderr } = await git(["rev-parse", "--verify", "HEAD"], {}, signal);

    expect({ exitCode, line: firstLine(stderr) }).toEqual({
      exitCode: 128,
      line: "fatal: not a git repository (or any of the parent directories): .git",
    });
  });

  it("ends git and what it started when it makes no progress", async () => {
    const started = performance.now();

    await expect(git(sleep, { stallMs: 200 }, signal)).rejects.toThrow(
      new RepositoryFault("git -c made no progress", { retryable: true }),
    );
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("ends git with the signal's reason", async () => {
    const controller = new AbortController();
    const ran = git(sleep, {}, controller.signal);
    const reason = new Error("cancelled");
    setTimeout(() => controller.abort(reason), 100);

    await expect(ran).rejects.toBe(reason);
  });
});

describe("withFileLock", () => {
  it("lets one in at a time, and the next one in after a failure", async () => {
    const path = join(makeFolder(), "lock");
    const log: string[] = [];
    const work = (name: string, fails: boolean) =>
      withFileLock(path, signal, async () => {
        log.push(`${name} in`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        log.push(`${name} out`);
        if (fails) throw new Error(name);
      });

    const done = await Promise.allSettled([work("a", true), work("b", false)]);

    expect(done.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(log).toEqual(["a in", "a out", "b in", "b out"]);
  });

  it("stops waiting with the signal's reason", async () => {
    const path = join(makeFolder(), "lock");
    const controller = new AbortController();
    const reason = new Error("cancelled");

    await withFileLock(path, signal, async () => {
      const waiting = withFileLock(path, controller.signal, async () => "in");
      controller.abort(reason);
      await expect(waiting).rejects.toBe(reason);
    });
  });
});

describe("withoutCredentials", () => {
  it("leaves out the user part of URLs, wherever they are", () => {
    expect(withoutCredentials("https://a:b@c@example.org/x and https://example.org/y@z")).toBe(
      "https://example.org/x and https://example.org/y@z",
    );
  });
});

describe("nearRefs", () => {
  it("gives the closest branches and tags, at most five", () => {
    const names = [
      "heads/main",
      "heads/maintenance",
      "tags/v1.0.0",
      "tags/v1.0.1",
      "tags/v1.1",
      "tags/v2",
      "pull/1/head",
    ];
    const refs = new Map(names.map((name) => [`refs/${name}`, "0".repeat(40)]));

    expect(nearRefs(refs, "mian")).toEqual(["main"]);
    expect(nearRefs(refs, "1.0.0")).toEqual(["v1.0.0", "v1.0.1"]);
    expect(nearRefs(refs, "release-candidate")).toEqual([]);
  });
});
