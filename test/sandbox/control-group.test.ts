import { describe, expect, it } from "vitest";
import { hierarchiesIn } from "../../src/sandbox/control-group.ts";

const ROOT = "/dev/sda / ext4 rw 0 0\n";
const MEMORY = "cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0\n";
const PIDS = "cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0\n";

describe("hierarchiesIn", () => {
  it("finds both controllers of version 1, also beside a version 2 without them", () => {
    const unified = "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";

    expect(hierarchiesIn(ROOT + unified + MEMORY + PIDS)).toEqual({
      version: 1,
      memory: "/sys/fs/cgroup/memory",
      pids: "/sys/fs/cgroup/pids",
    });
  });

  it("finds version 2", () => {
    const unified = "cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n";

    expect(hierarchiesIn(ROOT + unified)).toEqual({ version: 2, memory: "/sys/fs/cgroup", pids: "/sys/fs/cgroup" });
  });

  it("finds nothing where one controller is missing", () => {
    expect(hierarchiesIn(ROOT + MEMORY)).toBeNull();
    expect(hierarchiesIn("")).toBeNull();
  });
});
