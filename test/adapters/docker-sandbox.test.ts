import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { describe, expect, it } from "vitest";
import { createDockerSandbox, removeLeftovers } from "../../src/adapters/docker-sandbox.ts";
import { SandboxFault } from "../../src/errors.ts";
import type { SandboxCommand } from "../../src/ports/sandbox.ts";
import { sandboxContract } from "../ports/sandbox.contract.ts";

const sandbox = await createDockerSandbox().catch(() => null);

describe.skipIf(sandbox === null)("createDockerSandbox (needs a Docker engine with the sandbox image)", () => {
  sandboxContract("Docker", { create: createDockerSandbox, leftovers });

  it("is a fault that names the command when the image is missing", async () => {
    const creating = createDockerSandbox({ image: "repgen-no-such-image:none" });

    await expect(creating).rejects.toThrow("Docker has no image repgen-no-such-image:none; run: npm run sandbox-image");
    await expect(creating).rejects.toMatchObject({ retryable: false });
  });
});

describe.skipIf(sandbox === null)(
  "createDockerSandbox whose engine goes away (needs a Docker engine with the sandbox image)",
  () => {
    it("is a fault that may pass, instead of waiting for ever", async () => {
      await using engine = await engineThatCanGoAway();
      const remote = await createDockerSandbox({ host: engine.host, job: "engine-gone" });

      const running = remote.run(sleeping(60), new AbortController().signal);
      setTimeout(engine.goAway, 1_500);

      await expect(running).rejects.toMatchObject({ name: "SandboxFault", retryable: true });
      const left = await new Docker().listContainers({ all: true, filters: { label: ["repgen.job=engine-gone"] } });
      await Promise.all(left.map(({ Id }) => new Docker().getContainer(Id).remove({ force: true })));
    });
  },
);

describe.skipIf(sandbox === null)("removeLeftovers (needs a Docker engine with the sandbox image)", () => {
  it("removes containers of dead owners on this host, and no others", async () => {
    const dead = await containerOf(`4194305@${hostname()}`);
    const alive = await containerOf(`${process.pid}@${hostname()}`);
    const elsewhere = await containerOf("1@another-host");

    await removeLeftovers();

    const exists = await Promise.all(
      [dead, alive, elsewhere].map((container) =>
        container.inspect().then(
          () => true,
          () => false,
        ),
      ),
    );
    await Promise.all([alive, elsewhere].map((container) => container.remove({ force: true })));
    expect(exists).toEqual([false, true, true]);
  });
});

describe("createDockerSandbox without an engine", () => {
  it("is a fault that says how to start it", async () => {
    const creating = createDockerSandbox({ host: "unix:///no/such/docker.sock" });

    await expect(creating).rejects.toThrow(SandboxFault);
    await expect(creating).rejects.toThrow(/no Docker engine answers.*run: systemctl start docker/);
  });

  it("refuses an engine on another machine, where folders of this one can't be mounted", async () => {
    await expect(createDockerSandbox({ host: "tcp://docker:2375" })).rejects.toThrow(/must be on this host/);
  });
});

function sleeping(seconds: number): SandboxCommand {
  const mebibyte = 1024 ** 2;
  return {
    argv: ["sleep", String(seconds)],
    env: {},
    mounts: [],
    network: "none",
    limits: { wallTimeMs: 90_000, memoryBytes: 256 * mebibyte, processes: 32, outputBytes: 1024, diskBytes: mebibyte },
    gpus: [],
  };
}

/** Passes everything on to the real engine until it is told to go away. */
async function engineThatCanGoAway() {
  const folder = await mkdtemp(join(tmpdir(), "repgen-engine-"));
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const engine = connect("/var/run/docker.sock");
    for (const end of [client, engine]) open.add(end.on("error", () => undefined));
    client.pipe(engine).pipe(client);
  });
  const path = join(folder, "docker.sock");
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const goAway = () => {
    server.close();
    for (const end of open) end.destroy();
  };
  return {
    host: `unix://${path}`,
    goAway,
    async [Symbol.asyncDispose]() {
      goAway();
      await rm(folder, { recursive: true });
    },
  };
}

function containerOf(owner: string): Promise<Docker.Container> {
  return new Docker().createContainer({
    Image: "repgen-sandbox:bookworm",
    Cmd: ["true"],
    Labels: { "repgen.owner": owner, "repgen.deadline": String(Date.now() + 60_000) },
  });
}

async function leftovers(): Promise<string[]> {
  const owner = `repgen.owner=${process.pid}@${hostname()}`;
  const containers = await new Docker().listContainers({ all: true, filters: { label: [owner] } });
  return containers.map(({ Id }) => Id);
}
