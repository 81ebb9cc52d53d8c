import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SandboxFault } from "../../src/errors.ts";
import { handOver, isRoot, sandboxUser } from "../../src/sandbox/sandbox-user.ts";

describe("handOver", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "repgen-hand-over-"));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it("is a fault for a path where nothing is", async () => {
    const mounting = handOver([{ hostPath: join(folder, "nothing"), sandboxPath: "/x", writable: false }]);

    await expect(mounting).rejects.toThrow(SandboxFault);
    await expect(mounting).rejects.toThrow(/^there is no .*nothing to mount$/);
  });

  it.skipIf(!isRoot())("gives writable folders away, links as links (needs root)", async () => {
    const outside = join(folder, "outside");
    await writeFile(outside, "");
    await mkdir(join(folder, "out"));
    await symlink(outside, join(folder, "out", "link"));

    await handOver([{ hostPath: join(folder, "out"), sandboxPath: "/out", writable: true }]);

    expect((await stat(join(folder, "out"))).uid).toBe(sandboxUser().uid);
    expect((await stat(outside)).uid).toBe(0);
  });

  it.skipIf(!isRoot())("makes the top of others readable, and no more (needs root)", async () => {
    await writeFile(join(folder, "file"), "");
    await chmod(join(folder, "file"), 0o600);

    await handOver([
      { hostPath: folder, sandboxPath: "/job", writable: false },
      { hostPath: join(folder, "file"), sandboxPath: "/job/file", writable: false },
    ]);

    expect((await stat(folder)).mode & 0o777).toBe(0o705);
    expect(await stat(join(folder, "file"))).toMatchObject({ uid: 0, mode: expect.any(Number) });
    expect((await stat(join(folder, "file"))).mode & 0o777).toBe(0o604);
  });
});

describe("sandboxUser", () => {
  it("is never root", () => {
    expect(sandboxUser().uid).toBeGreaterThan(0);
    expect(sandboxUser().gid).toBeGreaterThan(0);
  });
});
