import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";

/** A real Redis of the test's own, that keeps its data over a restart. */
export interface RedisServer extends AsyncDisposable {
  url: string;
  connect(): Redis;
  /** Ends it as a crash would; what it had answered for is on its disk. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export const hasRedis = canRun("redis-server");

function canRun(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export async function startRedis(): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), "repgen-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  const server: RedisServer = {
    url,
    connect: () => new Redis(url, { maxRetriesPerRequest: null }),
    async kill() {
      const ending = child;
      child = null;
      if (ending === null) return;
      const ended = new Promise((resolve) => ending.once("exit", resolve));
      ending.kill("SIGKILL");
      await ended;
    },
    async start() {
      const options = ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--save", ""];
      child = spawn("redis-server", [...options, "--appendonly", "yes", "--appendfsync", "always"], {
        stdio: "ignore",
      });
      await untilReady(url);
    },
    async [Symbol.asyncDispose]() {
      await server.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

async function untilReady(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  redis.on("error", () => {});
  for (let tries = 0; tries < 100; tries++) {
    const answer = await redis
      .connect()
      .then(() => redis.ping())
      .catch(() => null);
    if (answer === "PONG") return redis.disconnect();
    await delay(50);
  }
  throw new Error(`no Redis at ${url}`);
}

/** A port that nothing listens on just now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
