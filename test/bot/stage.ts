import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parse } from "yaml";
import { type BullMqQueues, createBullMqQueue } from "../../src/adapters/bullmq-queue.ts";
import { createRedisLedger } from "../../src/adapters/redis-ledger.ts";
import type { Ledger } from "../../src/ports/ledger.ts";

import { type GitHubServer, gitHubIssue, gitHubRepository, startGitHub } from "../doubles/github-server.ts";
import { freePort, type RedisServer, startRedis } from "../doubles/redis-server.ts";

const root = join(import.meta.dirname, "..", "..");

/** A process as an operator starts it. */
export interface Process {
  pid: number;
  /** Lines of its log. */
  log: string[];
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** GitHub, a Redis of its own, and the process that answers GitHub. */
export interface Stage {
  github: GitHubServer;
  redis: RedisServer;
  queue: BullMqQueues;
  ledger: Ledger;
  webhook: Process;
  /** Where the process listens: `http://127.0.0.1:PORT`. */
  address: string;
  env: Record<string, string>;
  restartWebhook(): Promise<void>;
  startWorker(env?: Record<string, string>): Promise<Process>;
}

export const repository = "acme/net";

/** A repository with a maintainer `mia`, a triager `tom`, and issue 1 of the reporter `rob`. */
export async function setStage(
  options: { env?: Record<string, string>; files?: Record<string, string> },
  cleanUp: AsyncDisposableStack,
): Promise<Stage> {
  const redis = await startRedis();
  cleanUp.use(redis);
  const github = await startGitHub();
  cleanUp.use(github);
  github.state.repositories[repository] = gitHubRepository({
    files: options.files ?? {},
    collaborators: { mia: "write", tom: "triage", ada: "admin" },
    labels: [{ name: "needs-repro", color: "ededed", description: null }],
    issues: [gitHubIssue({ number: 1, user: "rob", title: "Loss grows", body: "It grows from 1.2 to 500." })],
  });
  // What the manifest asks for is all that the App may do.
  github.state.installation.permissions = parse(readFileSync(join(root, "app.yml"), "utf8")).default_permissions;
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  github.webhookUrl = `${address}/api/github/webhooks`;
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    REDIS_URL: redis.url,
    APP_ID: String(github.appId),
    PRIVATE_KEY: github.privateKey,
    WEBHOOK_SECRET: github.webhookSecret,
    GITHUB_API_URL: github.url,
    HOST: "127.0.0.1",
    PORT: String(port),
    REPGEN_LOCK_SECONDS: "3",
    REPGEN_SWEEP_SECONDS: "1",
    REPGEN_QUEUE_SECRET: "a secret of both processes",
    LOG_LEVEL: "info",
    ...options.env,
  };
  const connect = () => redis.connect();
  const queue = createBullMqQueue({
    connect,
    connectWorker: connect,
    prefix: "repgen",
    lockMs: 3_000,
    onError: () => {},
  });
  cleanUp.use(queue);
  const ledger = createRedisLedger({ connect, prefix: "repgen" });
  cleanUp.use(ledger);
  const stage: Stage = {
    github,
    redis,
    queue,
    ledger,
    webhook: await startProcess("workers/webhook.ts", env, "listening", cleanUp),
    address,
    env,
    async restartWebhook() {
      stage.webhook = await startProcess("workers/webhook.ts", env, "listening", cleanUp);
    },
    startWorker: (more = {}) => startProcess("workers/reproduce.ts", { ...env, ...more }, "ready", cleanUp),
  };
  return stage;
}

/** Starts a file of the project, and waits until its log says that it is ready. */
export async function startProcess(
  file: string,
  env: Record<string, string>,
  ready: string,
  cleanUp: AsyncDisposableStack,
): Promise<Process> {
  const child = spawn(process.execPath, [join(root, file)], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) =>
      log.push(
        ...chunk
          .toString()
          .split("\n")
          .filter((line) => line !== ""),
      ),
    );
  }
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const kill = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  cleanUp.defer(() => kill("SIGKILL"));
  await until(`${file} is ready`, () => {
    if (hasEnded(child)) throw new Error(`${file} ended: ${log.join("\n")}`);
    return log.some((line) => line.includes(`"msg":"${ready}"`));
  });
  return { pid: child.pid ?? 0, log, kill };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Waits until the condition holds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, patienceMs = 20_000): Promise<void> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await delay(50)) {
    if (await holds()) return;
  }
  throw new Error(`not within ${patienceMs} ms: ${what}`);
}
