import { SandboxFault } from "../errors.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import type { RegistryOptions } from "../sandbox/registries.ts";
import { type BubblewrapOptions, createBubblewrapSandbox } from "./bubblewrap-sandbox.ts";
import { createDockerSandbox, type DockerOptions, removeLeftovers } from "./docker-sandbox.ts";

export interface SandboxChoice
  extends Pick<DockerOptions, "host" | "image" | "job" | "runtime">,
    Pick<BubblewrapOptions, "pythonFolders"> {
  /** `auto`: Docker where its engine answers and has the image, else bubblewrap. */
  want: "auto" | "docker" | "bubblewrap";
  registries?: RegistryOptions;
}

export interface ChosenSandbox {
  sandbox: Sandbox;
  /** Why a better one was not taken, a sentence each, with the command to run. */
  notes: string[];
}

/**
 * The sandbox that this host offers. With Docker, also removes containers that processes of this host left behind.
 * @throws {SandboxFault} there is none; the message says what to run.
 */
export async function chooseSandbox(choice: SandboxChoice): Promise<ChosenSandbox> {
  if (choice.want === "docker") return { sandbox: await docker(choice), notes: [] };
  if (choice.want === "bubblewrap") return { sandbox: await createBubblewrapSandbox(choice), notes: [] };
  try {
    return { sandbox: await docker(choice), notes: [] };
  } catch (withoutDocker) {
    if (!(withoutDocker instanceof SandboxFault)) throw withoutDocker;
    return await insteadOf(withoutDocker, choice);
  }
}

async function docker(choice: SandboxChoice): Promise<Sandbox> {
  const sandbox = await createDockerSandbox(choice);
  await removeLeftovers(choice);
  return sandbox;
}

async function insteadOf(withoutDocker: SandboxFault, choice: SandboxChoice): Promise<ChosenSandbox> {
  try {
    return { sandbox: await createBubblewrapSandbox(choice), notes: [withoutDocker.message] };
  } catch (cause) {
    if (!(cause instanceof SandboxFault)) throw cause;
    throw new SandboxFault(`no sandbox works here.\n  ${withoutDocker.message}\n  ${cause.message}`, {
      retryable: withoutDocker.retryable || cause.retryable,
      cause,
    });
  }
}
