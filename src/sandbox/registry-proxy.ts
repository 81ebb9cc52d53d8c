import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { resolveHost } from "./addresses.ts";

/** Where packages of Python and builds of PyTorch come from. */
const PUBLIC_REGISTRIES = ["pypi.org", "files.pythonhosted.org", "download.pytorch.org"];
const USUAL_PORTS = [80, 443];
const CONNECT_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 64;

/** Headers that belong to one connection, and those that could carry credentials. */
const NOT_FORWARDED = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"],
  ...["authorization", "proxy-authorization", "cookie"],
]);

export interface RegistryProxyOptions {
  /**
   * Registries beside the public ones, as `host` (ports 80 and 443) or `host:port`. These may have private addresses:
   * name only what the operator chose, nothing that an issue or a repository says.
   */
  hosts?: readonly string[];
  /** Hosts of others' choice, on the usual ports, and only where they have a public address. */
  publicHosts?: readonly string[];
  /** Proxy that this host needs to reach registries, `http://…`; it then resolves the names. */
  upstreamProxy?: string;
}

interface Target {
  host: string;
  port: number;
}

/** Says no to a client, with the reason. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A forward proxy (CONNECT, and GET or HEAD of `http:` URLs) that leads to package registries only. Not yet listening. */
export function createRegistryProxy(options: RegistryProxyOptions = {}): Server {
  const server = createServer((incoming, response) => {
    forward(incoming, response, options).catch((error: unknown) => {
      const { status, message } = refusalOf(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(status, { "content-type": "text/plain" }).end(`${message}\n`);
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("connect", (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on("error", () => client.destroy());
    tunnel(incoming, client, head, options).catch((error: unknown) => {
      const { status, message } = refusalOf(error);
      // Clients show the reason phrase, not the body.
      client.end(`HTTP/1.1 ${status} ${message.replace(/[^ -~]/g, " ")}\r\nconnection: close\r\n\r\n`);
    });
  });
  return server;
}

async function tunnel(incoming: IncomingMessage, client: Duplex, head: Buffer, options: RegistryProxyOptions) {
  const upstream = await open(targetOf(`http://${incoming.url}`, 443), options);
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  upstream.write(head);
  upstream.pipe(client).on("close", () => upstream.destroy());
  client.pipe(upstream).on("close", () => client.destroy());
}

async function forward(incoming: IncomingMessage, response: ServerResponse, options: RegistryProxyOptions) {
  if (incoming.method !== "GET" && incoming.method !== "HEAD") throw new Refusal(405, `no ${incoming.method} here`);
  const url = incoming.url ?? "";
  if (!url.startsWith("http://")) throw new Refusal(400, "this is a proxy");
  const upstream = await open(targetOf(url, 80), options);
  const { pathname, search, host } = new URL(url);
  const outgoing = request({
    createConnection: () => upstream,
    method: incoming.method,
    path: pathname + search,
    headers: { ...forwardable(incoming.headers), host },
  });
  outgoing.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, forwardable(answer.headers));
    pipeline(answer, response).catch(() => response.destroy());
  });
  outgoing.on("error", () => response.destroy());
  response.on("close", () => upstream.destroy());
  outgoing.end();
}

function targetOf(url: string, defaultPort: number): Target {
  if (!URL.canParse(url)) throw new Refusal(400, "not an address");
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? defaultPort : Number(port) };
}

/** Connects, if that is allowed at all, to the address that was checked. */
async function open(
  target: Target,
  { hosts = [], publicHosts = [], upstreamProxy }: RegistryProxyOptions,
): Promise<Socket> {
  const { host, port } = target;
  const usualPort = USUAL_PORTS.includes(port);
  const chosen = hosts.includes(`${host}:${port}`) || (usualPort && hosts.includes(host));
  if (!chosen && !(usualPort && [...PUBLIC_REGISTRIES, ...publicHosts].includes(host))) {
    throw new Refusal(403, `${host}:${port} is not a package registry`);
  }
  if (upstreamProxy !== undefined) return await openThrough(new URL(upstreamProxy), target);
  const address = await resolveHost(host, { publicOnly: !chosen });
  if (address === null) throw new Refusal(403, `${host} has no public address`);
  return await connected(connect({ host: address, port }));
}

function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error("no answer")));
    socket.on("error", reject);
    socket.once("connect", () => resolve(socket.setTimeout(0)));
  });
}

function openThrough(proxy: URL, { host, port }: Target): Promise<Socket> {
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return new Promise((resolve, reject) => {
    request({
      host: proxy.hostname,
      port: proxy.port || 80,
      method: "CONNECT",
      path: `${host}:${port}`,
      headers: proxy.username === "" ? {} : { "proxy-authorization": `Basic ${btoa(credentials)}` },
      timeout: CONNECT_TIMEOUT_MS,
    })
      .on("connect", (answer, socket: Socket) => {
        socket.on("error", () => socket.destroy());
        if (answer.statusCode === 200) resolve(socket);
        else reject(new Refusal(502, `the proxy of this host answers ${answer.statusCode}`));
      })
      .on("error", reject)
      .end();
  });
}

function forwardable(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_FORWARDED.has(name)));
}

function refusalOf(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal(502, error instanceof Error ? error.message : String(error));
}
