import { describe, expect, it } from "vitest";
import type { SandboxCommand } from "../../src/ports/sandbox.ts";
import { containerRequest } from "../../src/sandbox/docker-request.ts";

const COMMAND: SandboxCommand = {
  argv: ["python3", "/job/script.py"],
  env: { SEED: "1" },
  mounts: [
    { hostPath: "/host/job", sandboxPath: "/job", writable: false },
    { hostPath: "/host/out", sandboxPath: "/out", writable: true },
  ],
  network: "none",
  limits: { wallTimeMs: 1_000, memoryBytes: 1_000_000, processes: 64, outputBytes: 10, diskBytes: 2_000_000 },
  gpus: [],
};
const SETTING = { image: "sha256:1", user: { uid: 65534, gid: 65534 }, labels: { "repgen.job": "1" }, runtime: null };

describe("containerRequest", () => {
  it("asks for a container without network, rights, or anything to write but what is given", () => {
    expect(containerRequest(COMMAND, SETTING)).toEqual({
      Image: "sha256:1",
      Entrypoint: ["/usr/bin/env"],
      Cmd: [
        "-i",
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME=/tmp",
        "LANG=C.UTF-8",
        "SEED=1",
        "python3",
        "/job/script.py",
      ],
      User: "65534:65534",
      WorkingDir: "/tmp",
      Hostname: "sandbox",
      Labels: { "repgen.job": "1" },
      NetworkDisabled: true,
      AttachStdout: true,
      AttachStderr: true,
      HostConfig: {
        NetworkMode: "none",
        IpcMode: "private",
        CgroupnsMode: "private",
        ReadonlyRootfs: true,
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
        Init: true,
        LogConfig: { Type: "none", Config: {} },
        Memory: 1_000_000,
        MemorySwap: 1_000_000,
        PidsLimit: 65,
        ShmSize: 500_000,
        Tmpfs: { "/tmp": "rw,exec,nosuid,nodev,mode=1777,size=2000000" },
        Ulimits: [
          { Name: "nofile", Soft: 4_096, Hard: 4_096 },
          { Name: "core", Soft: 0, Hard: 0 },
          { Name: "fsize", Soft: 2_000_000, Hard: 2_000_000 },
        ],
        Mounts: [
          { Type: "bind", Source: "/host/job", Target: "/job", ReadOnly: true },
          { Type: "bind", Source: "/host/out", Target: "/out", ReadOnly: false },
        ],
        DeviceRequests: [],
      },
    });
  });

  it("asks for exactly the GPUs that are named", () => {
    const { HostConfig } = containerRequest({ ...COMMAND, gpus: ["GPU-1", "0"] }, SETTING);

    expect(HostConfig.DeviceRequests).toEqual([
      { Driver: "nvidia", DeviceIDs: ["GPU-1", "0"], Capabilities: [["gpu"]] },
    ]);
  });

  it("asks for another runtime where one is named", () => {
    expect(containerRequest(COMMAND, { ...SETTING, runtime: "runsc" }).HostConfig).toMatchObject({ Runtime: "runsc" });
  });
});
