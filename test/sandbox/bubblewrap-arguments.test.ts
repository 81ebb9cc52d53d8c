import { describe, expect, it } from "vitest";
import type { SandboxCommand } from "../../src/ports/sandbox.ts";
import { type BubblewrapSetting, bubblewrapArguments } from "../../src/sandbox/bubblewrap-arguments.ts";

const COMMAND: SandboxCommand = {
  argv: ["python3", "/job/script.py"],
  env: { LD_PRELOAD: "/project/evil.so" },
  mounts: [
    { hostPath: "/host/env", sandboxPath: "/env/one", writable: false },
    { hostPath: "/host/out", sandboxPath: "/out", writable: true },
  ],
  network: "none",
  limits: { wallTimeMs: 1_000, memoryBytes: 1_000_000, processes: 64, outputBytes: 10, diskBytes: 2_000_000 },
  gpus: [],
};
const SETTING: BubblewrapSetting = {
  root: false,
  userland: ["--ro-bind", "/usr", "/usr"],
  descriptors: { status: 3, start: 4, filter: 5, etc: [6, 7, 8, 9] },
  devices: [],
  watched: false,
};

function argumentsOf(setting: Partial<BubblewrapSetting> = {}): string {
  return bubblewrapArguments(COMMAND, { ...SETTING, ...setting }).join(" ");
}

describe("bubblewrapArguments", () => {
  it("puts mounts over the userland in order, and closes the root after them", () => {
    expect(argumentsOf()).toMatch(
      /--tmpfs \/tmp --perms 0755 --dir \/env --ro-bind \/host\/env \/env\/one --bind \/host\/out \/out --remount-ro \/dev --remount-ro \/ --chdir \/tmp -- /,
    );
  });

  it("renames an ordinary user", () => {
    const line = argumentsOf();

    expect(line).toContain("--unshare-user --uid 65534 --gid 65534 ");
    expect(line).not.toContain("setpriv");
  });

  it("makes of root a user without rights, before the command's environment means anything", () => {
    const line = argumentsOf({ root: true });

    expect(line).not.toContain("--unshare-user");
    expect(line).toMatch(/setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs .* -- \/usr\/bin\/env -i /);
    expect(line.indexOf("LD_PRELOAD")).toBeGreaterThan(line.indexOf("/usr/bin/env -i"));
  });

  it("bounds single processes only where no control group bounds all of them", () => {
    expect(argumentsOf()).not.toMatch(/--data=|--nproc=/);
    expect(argumentsOf({ watched: true })).toMatch(/--nproc=65 --data=2000000 /);
  });

  it("shows the GPUs that were asked for, and what CUDA reads of them", () => {
    const line = argumentsOf({ devices: ["/dev/nvidia0", "/dev/nvidiactl"], watched: true });

    expect(line).toContain("--ro-bind-try /sys /sys --dev-bind /dev/nvidia0 /dev/nvidia0 --dev-bind /dev/nvidiactl");
    expect(line).not.toContain("--data=");
  });
});
