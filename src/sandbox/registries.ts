import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SandboxCommand, SandboxMount } from "../ports/sandbox.ts";
import { makeTemporaryFolder } from "../temporary-folder.ts";
import { createRegistryProxy, type RegistryProxyOptions } from "./registry-proxy.ts";

export interface RegistryOptions extends RegistryProxyOptions {
  /** Certificates (PEM) that this host trusts beside the public ones, where something on the way signs with its own. */
  certificatesFile?: string;
}

/** What to run so that package registries can be reached; dispose it when the command has ended. */
export interface RegistryAccess extends AsyncDisposable {
  command: SandboxCommand;
}

const RELAY = fileURLToPath(new URL("../../docker/sandbox/harness/relay.py", import.meta.url));
const INSIDE = { relay: "/run/repgen/relay.py", socket: "/run/repgen/proxy.sock", certificates: "/run/repgen/ca.pem" };

/** Processes and threads that the relay may need beside the command. */
const RELAY_PROCESSES = 4;

/**
 * Wraps a command that may reach registries: inside, a relay on loopback; mounted, the socket of a proxy in this
 * process. The network of the sandbox stays empty. Other commands stay as they are.
 */
export async function openRegistries(command: SandboxCommand, options: RegistryOptions): Promise<RegistryAccess> {
  if (command.network === "none") return { command, [Symbol.asyncDispose]: async () => undefined };
  const folder = await makeTemporaryFolder("proxy");
  const socket = join(folder, "proxy.sock");
  const close = await listen(createRegistryProxy({ ...options, publicHosts: command.alsoReach ?? [] }), socket);
  return {
    command: throughRelay(command, socket, options.certificatesFile),
    [Symbol.asyncDispose]: async () => {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Listens for the sandbox's user, whoever that is: the folder keeps the host's other users out. Returns how to end it. */
async function listen(server: Server, socket: string): Promise<() => Promise<void>> {
  const open = new Set<Socket>();
  server.on("connection", (connection: Socket) => {
    open.add(connection);
    connection.once("close", () => open.delete(connection));
  });
  server.listen(socket);
  await once(server, "listening");
  await chmod(socket, 0o666);
  return async () => {
    const closed = once(server, "close");
    server.close();
    for (const connection of open) connection.destroy();
    await closed;
  };
}

function throughRelay(command: SandboxCommand, socket: string, certificates: string | undefined): SandboxCommand {
  const mount = (hostPath: string, sandboxPath: string): SandboxMount => ({ hostPath, sandboxPath, writable: false });
  const trust = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO"];
  return {
    ...command,
    argv: ["python3", "-I", INSIDE.relay, INSIDE.socket, ...command.argv],
    env: {
      ...(certificates === undefined ? {} : Object.fromEntries(trust.map((name) => [name, INSIDE.certificates]))),
      ...command.env,
    },
    mounts: [
      ...command.mounts,
      mount(RELAY, INSIDE.relay),
      mount(socket, INSIDE.socket),
      ...(certificates === undefined ? [] : [mount(certificates, INSIDE.certificates)]),
    ],
    limits: { ...command.limits, processes: command.limits.processes + RELAY_PROCESSES },
  };
}
