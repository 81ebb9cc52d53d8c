import type { SandboxCommand } from "../ports/sandbox.ts";
import { cleanArgv } from "./clean-argv.ts";
import { OPEN_FILES, type SandboxUser } from "./sandbox-user.ts";

export interface ContainerSetting {
  /** Id of the image, so that a moved tag changes nothing under way. */
  image: string;
  user: SandboxUser;
  labels: Record<string, string>;
  /** Runtime of the engine, such as `runsc`; null for its default. */
  runtime: string | null;
}

/** What the engine is asked to create for one command. */
export function containerRequest(command: SandboxCommand, { image, user, labels, runtime }: ContainerSetting) {
  const [program, ...args] = cleanArgv(command);
  return {
    Image: image,
    Entrypoint: [program],
    Cmd: args,
    User: `${user.uid}:${user.gid}`,
    WorkingDir: command.cwd ?? "/tmp",
    Hostname: "sandbox",
    Labels: labels,
    NetworkDisabled: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      ...(runtime === null ? {} : { Runtime: runtime }),
      ...isolation(),
      ...limits(command),
      Mounts: command.mounts.map(({ hostPath, sandboxPath, writable }) => ({
        Type: "bind" as const,
        Source: hostPath,
        Target: sandboxPath,
        ReadOnly: !writable,
      })),
      DeviceRequests:
        command.gpus.length === 0 ? [] : [{ Driver: "nvidia", DeviceIDs: [...command.gpus], Capabilities: [["gpu"]] }],
    },
  };
}

/** The engine keeps no copy of the output, and its init reaps what the command leaves behind. */
function isolation() {
  return {
    NetworkMode: "none",
    IpcMode: "private",
    CgroupnsMode: "private" as const,
    ReadonlyRootfs: true,
    CapDrop: ["ALL"],
    SecurityOpt: ["no-new-privileges"],
    Init: true,
    LogConfig: { Type: "none" as const, Config: {} },
  };
}

function limits({ limits: { memoryBytes, processes, diskBytes } }: SandboxCommand) {
  return {
    Memory: memoryBytes,
    MemorySwap: memoryBytes,
    // One more for the engine's init.
    PidsLimit: processes + 1,
    ShmSize: Math.ceil(memoryBytes / 2),
    Tmpfs: { "/tmp": `rw,exec,nosuid,nodev,mode=1777,size=${diskBytes}` },
    Ulimits: [
      { Name: "nofile", Soft: OPEN_FILES, Hard: OPEN_FILES },
      { Name: "core", Soft: 0, Hard: 0 },
      { Name: "fsize", Soft: diskBytes, Hard: diskBytes },
    ],
  };
}
