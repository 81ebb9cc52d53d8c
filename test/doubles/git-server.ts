import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { generate } from "selfsigned";

export interface GitServer extends AsyncDisposable {
  /** `https://127.0.0.1:PORT`; repositories are at `/FOLDER` of the root, bare or with a `.git` folder. */
  url: string;
  /** File of the certificate to trust. */
  certificate: string;
  /** `Authorization` of each request, in order; null where there is none. */
  authorizations: (string | null)[];
}

/**
 * Git's own HTTP backend behind TLS on loopback. With `lets`, requests need credentials that it lets in. With
 * `redirectTo`, each is sent there instead.
 */
export async function startGitServer(options: {
  /** Folder of the repositories. */
  root: string;
  /** Folder to write the certificate to. */
  scratch: string;
  lets?: (user: string, password: string) => boolean;
  redirectTo?: string;
}): Promise<GitServer> {
  const { private: key, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
  const certificate = join(options.scratch, "certificate.pem");
  writeFileSync(certificate, cert);
  const authorizations: (string | null)[] = [];
  const isEnough = (authorization: string | null) => {
    if (options.lets === undefined) return true;
    const [, encoded] = /^Basic (.*)$/.exec(authorization ?? "") ?? [];
    if (encoded === undefined) return false;
    const [user = "", ...password] = Buffer.from(encoded, "base64").toString().split(":");
    return options.lets(user, password.join(":"));
  };
  const server = createServer({ key, cert }, (request, response) => {
    const authorization = request.headers.authorization ?? null;
    authorizations.push(authorization);
    if (options.redirectTo !== undefined) {
      response.writeHead(301, { location: `${options.redirectTo}${request.url}` }).end();
    } else if (!isEnough(authorization)) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    } else answerByGit(options.root, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    certificate,
    authorizations,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** CGI, as git-http-backend(1) wants it. */
function answerByGit(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "/", "https://localhost");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      GIT_CONFIG_COUNT: "3",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
      GIT_CONFIG_KEY_1: "uploadpack.allowFilter",
      GIT_CONFIG_VALUE_1: "true",
      GIT_CONFIG_KEY_2: "uploadpack.allowAnySHA1InWant",
      GIT_CONFIG_VALUE_2: "true",
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      REMOTE_ADDR: "127.0.0.1",
    },
  });
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  let body = false;
  child.stdout.on("data", (chunk: Buffer) => {
    if (body) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    body = true;
    const headers = head.subarray(0, end).toString("latin1").split("\r\n");
    let status = 200;
    for (const header of headers) {
      const [name = "", value = ""] = header.split(/:\s*/, 2);
      if (name.toLowerCase() === "status") status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status);
    response.write(head.subarray(end + 4));
  });
  child.on("close", () => response.end());
}
