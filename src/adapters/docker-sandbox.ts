import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import Docker from "dockerode";
import { SandboxFault } from "../errors.ts";
import type { Sandbox, SandboxCommand, SandboxResult } from "../ports/sandbox.ts";
import { containerLabels, isLeftover, OWNER_LABEL } from "../sandbox/docker-labels.ts";
import { containerRequest } from "../sandbox/docker-request.ts";
import { findImagePythons } from "../sandbox/image-pythons.ts";
import { openRegistries, type RegistryOptions } from "../sandbox/registries.ts";
import { handOver, sandboxUser } from "../sandbox/sandbox-user.ts";
import { type Exit, type Running, supervise } from "../sandbox/supervise.ts";

/** What `npm run sandbox-image` builds. */
export const SANDBOX_IMAGE = "repgen-sandbox:bookworm";

export interface DockerOptions {
  /** The engine, as in `DOCKER_HOST`; it must be on this host, since folders are mounted. (Default: `unix:///var/run/docker.sock`.) */
  host?: string;
  /** Name or id. (Default: `SANDBOX_IMAGE`.) */
  image?: string;
  /** Told in the label `repgen.job` of each container. (Default: `local`.) */
  job?: string;
  /** Runtime of the engine, such as `runsc`. (Default: the engine's.) */
  runtime?: string;
  registries?: RegistryOptions;
}

/** One engine and one image, checked. */
interface Engine {
  docker: Docker;
  imageId: string;
  options: DockerOptions;
}

/**
 * Runs each command in a container of its own, which is removed when `run` settles. Pulls and builds nothing.
 * @throws {SandboxFault} the engine does not answer, or the image is missing.
 */
export async function createDockerSandbox(options: DockerOptions = {}): Promise<Sandbox> {
  const docker = connect(options.host);
  const image = options.image ?? SANDBOX_IMAGE;
  const { version, runtime } = await engineOf(docker);
  const engine: Engine = { docker, imageId: await imageId(docker, image), options };
  const sandbox: Sandbox = {
    description: `Docker ${version} (${options.runtime ?? runtime}), image ${image}`,
    identity: `docker ${engine.imageId} ${process.arch}`,
    pythons: (signal) => findImagePythons(sandbox, signal),
    run: (command, signal) => run(engine, command, signal),
  };
  return sandbox;
}

/**
 * Removes containers whose owners ended without removing them. For the start of a process; leaves those of live ones.
 * Tells how many there were.
 * @throws {SandboxFault} the engine does not answer.
 */
export async function removeLeftovers(options: Pick<DockerOptions, "host"> = {}): Promise<number> {
  const docker = connect(options.host);
  try {
    const containers = await docker.listContainers({ all: true, filters: { label: [OWNER_LABEL] } });
    const leftovers = containers.filter(({ Labels, Created }) => isLeftover(Labels, Created * 1_000));
    for (const { Id } of leftovers) await remove(docker.getContainer(Id));
    return leftovers.length;
  } catch (cause) {
    throw engineFault(cause);
  }
}

async function run(engine: Engine, command: SandboxCommand, signal: AbortSignal): Promise<SandboxResult> {
  signal.throwIfAborted();
  const startedAtMs = performance.now();
  await using access = await openRegistries(command, engine.options.registries ?? {});
  await handOver(access.command.mounts);
  const container = await create(engine, access.command);
  try {
    return await supervise(launch(engine.docker, container), { command, startedAtMs }, signal);
  } finally {
    await remove(container);
  }
}

async function create({ docker, imageId, options }: Engine, command: SandboxCommand): Promise<Docker.Container> {
  const request = containerRequest(command, {
    image: imageId,
    user: sandboxUser(),
    labels: containerLabels(options.job ?? "local", command),
    runtime: options.runtime ?? null,
  });
  try {
    return await docker.createContainer(request);
  } catch (cause) {
    throw engineFault(cause);
  }
}

/** Attaches to a container before it starts, so that no output is lost. */
function launch(docker: Docker, container: Docker.Container): Running {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let killed = false;
  const kill = () => {
    killed = true;
    container.kill({ signal: "SIGKILL" }).catch(() => undefined);
  };

  async function ended(): Promise<Exit> {
    try {
      const output = await container.attach({ stream: true, stdout: true, stderr: true });
      const closed = whenClosed(output);
      docker.modem.demuxStream(output, stdout, stderr);
      await container.start();
      if (killed) kill();
      await closed;
      await Promise.all([finished(stdout.end()), finished(stderr.end())]);
      const { ExitCode: code, OOMKilled } = await stopped(container);
      return { code, limit: OOMKilled ? "memory" : null };
    } catch (cause) {
      throw engineFault(cause);
    }
  }

  return { stdout, stderr, ended: ended(), kill };
}

/**
 * The end of a container whose output is over. Asked for again and again, since a request that waits for it is never
 * answered, and never fails, when the engine goes away.
 */
async function stopped(container: Docker.Container): Promise<{ ExitCode: number; OOMKilled: boolean }> {
  for (let waitMs = 10; ; waitMs = Math.min(2 * waitMs, 250)) {
    const { State } = await container.inspect();
    if (!State.Running) return State;
    await sleep(waitMs);
  }
}

/** Also for a stream that breaks: the rest is then missing. */
function whenClosed(stream: NodeJS.ReadWriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.on("error", () => undefined).once("close", resolve);
  });
}

/** Already gone, or being removed by another, is as good. */
async function remove(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (cause) {
    const status = statusOf(cause);
    if (status !== 404 && status !== 409) throw engineFault(cause);
  }
}

function connect(host = "unix:///var/run/docker.sock"): Docker {
  const socketPath = /^unix:\/\/(\/.+)$/.exec(host)?.[1];
  if (socketPath === undefined) {
    throw new SandboxFault(`the Docker engine must be on this host (unix://…), not ${host}`, { retryable: false });
  }
  return new Docker({ socketPath });
}

async function engineOf(docker: Docker): Promise<{ version: string; runtime: string }> {
  try {
    const { ServerVersion, DefaultRuntime } = await docker.info();
    return { version: ServerVersion, runtime: DefaultRuntime };
  } catch (cause) {
    throw new SandboxFault(`no Docker engine answers: ${messageOf(cause)}; run: systemctl start docker`, {
      retryable: true,
      cause,
    });
  }
}

async function imageId(docker: Docker, image: string): Promise<string> {
  try {
    return (await docker.getImage(image).inspect()).Id;
  } catch (cause) {
    if (statusOf(cause) !== 404) throw engineFault(cause);
    throw new SandboxFault(`Docker has no image ${image}; run: npm run sandbox-image`, { retryable: false, cause });
  }
}

/** What the engine refuses (a missing image, a bad mount) stays refused; what breaks may pass. */
function engineFault(cause: unknown): SandboxFault {
  if (cause instanceof SandboxFault) return cause;
  const status = statusOf(cause);
  const retryable = status === null || status >= 500;
  return new SandboxFault(`Docker: ${messageOf(cause)}`, { retryable, cause });
}

function statusOf(error: unknown): number | null {
  return error instanceof Error && "statusCode" in error && typeof error.statusCode === "number"
    ? error.statusCode
    : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
