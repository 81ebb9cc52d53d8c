import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { ExpressAdapter } from "@bull-board/express";
import type { Queue } from "bullmq";

const path = "/queues";
const user = "admin";

/** Bull Board at `/queues`, read-only, for user `admin` and the password. False for any other path. */
export function createQueueBoard(queues: readonly Queue[], password: string) {
  const adapter = new ExpressAdapter().setBasePath(path);
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter: adapter,
  });
  const router = adapter.getRouter();
  const expected = Buffer.from(`Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`);
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    if (request.url !== path && !request.url?.startsWith(`${path}/`) && !request.url?.startsWith(`${path}?`))
      return false;
    const given = Buffer.from(request.headers.authorization ?? "");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="RepGen queues", charset="UTF-8"' }).end();
      return true;
    }
    request.url = request.url.slice(path.length) || "/";
    router(request, response, () => response.writeHead(404).end());
    return true;
  };
}
