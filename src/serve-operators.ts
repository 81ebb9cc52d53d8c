import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const readyMs = 2_000;

/** What operators may ask a process over HTTP. */
export interface OperatorPages {
  /** Rejects when the process cannot do its work now. */
  ready: () => Promise<void>;
  metrics: () => Promise<{ contentType: string; text: string }>;
}

/** `/healthz`: the process answers. `/readyz`: it can work. `/metrics`: its figures. False for any other path. */
export function serveOperators({ ready, metrics }: OperatorPages) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const [path] = (request.url ?? "").split("?");
    if (request.method !== "GET" || path === undefined) return false;
    const answer = (status: number, text: string, contentType = "text/plain; charset=utf-8") => {
      response.writeHead(status, { "content-type": contentType, "cache-control": "no-store" }).end(text);
      return true;
    };
    switch (path) {
      case "/healthz":
        return answer(200, "ok\n");
      case "/readyz":
        return await Promise.race([ready(), tooLong()]).then(
          () => answer(200, "ready\n"),
          (error: unknown) => answer(503, `not ready: ${error instanceof Error ? error.message : String(error)}\n`),
        );
      case "/metrics": {
        const { contentType, text } = await metrics();
        return answer(200, text, contentType);
      }
      default:
        return false;
    }
  };
}

async function tooLong(): Promise<void> {
  await delay(readyMs, undefined, { ref: false });
  throw new Error(`no answer within ${readyMs} ms`);
}

/** A server of nothing but these pages; none at port 0. */
export async function serveAlone(pages: OperatorPages, at: { host: string; port: number }): Promise<AsyncDisposable> {
  const handle = serveOperators(pages);
  const server = createServer(async (request, response) => {
    const answered = await handle(request, response).catch(() => false);
    if (!answered && !response.headersSent) response.writeHead(404).end();
  });
  if (at.port !== 0) {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(at.port, at.host, resolve));
  }
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
