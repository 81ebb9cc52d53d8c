import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { createRegistryProxy, type RegistryProxyOptions } from "../../src/sandbox/registry-proxy.ts";

interface Answer {
  status: number | undefined;
  body: string;
}

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  return isPort(address) ? address.port : 0;
}

function isPort(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

/** A registry that answers with what it was asked. */
async function registry(): Promise<{ address: string; seen: IncomingHttpHeaders[] }> {
  const seen: IncomingHttpHeaders[] = [];
  const port = await listening(
    createServer((incoming, response) => {
      seen.push(incoming.headers);
      response
        .writeHead(incoming.url === "/missing" ? 404 : 200, { "x-kept": "yes" })
        .end(`${incoming.method} ${incoming.url}`);
    }),
  );
  return { address: `127.0.0.1:${port}`, seen };
}

async function get(
  proxyPort: number,
  url: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const outgoing = request({ host: "127.0.0.1", port: proxyPort, path: url, ...options }).end();
  const [answer]: IncomingMessage[] = await once(outgoing, "response");
  return { status: answer?.statusCode, body: answer === undefined ? "" : await text(answer) };
}

/** Status line of a CONNECT, then what comes back for `sent`. */
async function tunnel(proxyPort: number, target: string, sent = ""): Promise<string> {
  const socket: Socket = connect({ host: "127.0.0.1", port: proxyPort });
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n${sent}`);
  return await text(socket);
}

async function proxy(options: RegistryProxyOptions = {}): Promise<number> {
  return await listening(createRegistryProxy(options));
}

describe("createRegistryProxy", () => {
  it("forwards GET and HEAD to a host that was handed in, and passes the answer on", async () => {
    const { address } = await registry();
    const port = await proxy({ hosts: [address] });

    expect(await get(port, `http://${address}/simple/?a=b`)).toEqual({ status: 200, body: "GET /simple/?a=b" });
    expect(await get(port, `http://${address}/missing`)).toEqual({ status: 404, body: "GET /missing" });
    expect(await get(port, `http://${address}/simple/`, { method: "HEAD" })).toEqual({ status: 200, body: "" });
  });

  it("keeps credentials and headers of the connection to itself", async () => {
    const { address, seen } = await registry();
    const port = await proxy({ hosts: [address] });
    const headers = {
      authorization: "x",
      "proxy-authorization": "x",
      cookie: "x",
      "proxy-connection": "x",
      accept: "text/html",
    };

    await get(port, `http://${address}/`, { headers });

    expect(seen).toEqual([{ host: address, accept: "text/html", connection: expect.any(String) }]);
  });

  it("tunnels to a host that was handed in", async () => {
    const { address } = await registry();
    const port = await proxy({ hosts: [address] });

    const answer = await tunnel(port, address, `GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

    expect(answer).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain("GET /a");
  });

  it.each([
    "example.com:443",
    "pypi.org:22",
    "pypi.org.example.com:443",
    "127.0.0.1:443",
    "[::1]:443",
    "169.254.169.254:80",
  ])("does not tunnel to %s", async (target) => {
    expect(await tunnel(await proxy(), target)).toMatch(/^HTTP\/1\.1 403 .* is not a package registry\r\n/);
  });

  it("refuses another port of a host that was handed in", async () => {
    const { address } = await registry();

    expect(await tunnel(await proxy({ hosts: ["127.0.0.1"] }), address)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await get(await proxy({ hosts: ["127.0.0.1:1"] }), `http://${address}/`)).toMatchObject({ status: 403 });
  });

  it.each(["127.0.0.1:443", "localhost:443", "169.254.169.254:80", "data.example:8443"])(
    "does not tunnel to %s, whatever hosts others have chosen",
    async (target) => {
      const publicHosts = ["127.0.0.1", "localhost", "169.254.169.254", "data.example"];

      expect(await tunnel(await proxy({ publicHosts }), target)).toMatch(/^HTTP\/1\.1 403 /);
    },
  );

  it("is no server of its own, writes nothing, and survives nonsense", async () => {
    const port = await proxy({ hosts: ["example.com"] });

    expect(await get(port, "/")).toEqual({ status: 400, body: "this is a proxy\n" });
    expect(await get(port, "http://example.com/", { method: "POST" })).toMatchObject({ status: 405 });
    expect(await get(port, "http://")).toMatchObject({ status: 400 });
    expect(await tunnel(port, "a b:c")).toMatch(/^HTTP\/1\.1 4/);
  });

  it("tells when a registry does not answer", async () => {
    const port = await proxy({ hosts: ["127.0.0.1:1"] });

    expect(await tunnel(port, "127.0.0.1:1")).toMatch(/^HTTP\/1\.1 502 .*ECONNREFUSED/);
  });

  it("passes on that a registry broke off, and serves the next", async () => {
    const breaking = await listening(
      createServer((incoming, response) => {
        if (incoming.url !== "/broken") response.end("whole");
        else response.writeHead(200, { "content-length": "100" }).write("part", () => response.destroy());
      }),
    );
    const address = `127.0.0.1:${breaking}`;
    const port = await proxy({ hosts: [address] });

    await expect(get(port, `http://${address}/broken`)).rejects.toThrow("aborted");
    expect(await get(port, `http://${address}/`)).toEqual({ status: 200, body: "whole" });
  });

  it("goes through the proxy that the host needs, with its credentials", async () => {
    const { address } = await registry();
    const upstream = createServer();
    const asked: (string | undefined)[] = [];
    upstream.on("connect", (incoming: IncomingMessage, client: Socket) => {
      asked.push(incoming.url, incoming.headers["proxy-authorization"]);
      const [host, port] = address.split(":");
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      client.pipe(connect({ host, port: Number(port) })).pipe(client);
    });
    const upstreamPort = await listening(upstream);
    const port = await proxy({
      hosts: ["registry.test"],
      upstreamProxy: `http://user:p%40ss@127.0.0.1:${upstreamPort}`,
    });

    const answer = await get(port, "http://registry.test/simple/");

    expect(answer).toEqual({ status: 200, body: "GET /simple/" });
    expect(asked).toEqual(["registry.test:80", `Basic ${btoa("user:p@ss")}`]);
  });
});
