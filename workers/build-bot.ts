import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { Probot, ProbotOctokit } from "probot";
import { createBullMqQueue } from "../src/adapters/bullmq-queue.ts";
import { createGitHubDesk } from "../src/adapters/github-desk.ts";
import { createPrometheusCounters, type PrometheusCounters } from "../src/adapters/prometheus-counters.ts";
import { createQueueBoard } from "../src/adapters/queue-board.ts";
import { createRedisLedger } from "../src/adapters/redis-ledger.ts";
import type { BotDeps } from "../src/bot/deps.ts";
import type { Config } from "../src/config.ts";
import { UsageFault } from "../src/errors.ts";
import { redisConnector } from "./connect-redis.ts";

export interface Bot extends BotDeps, AsyncDisposable {
  counters: PrometheusCounters;
  /** Probot with the App's rights. */
  Probot: typeof Probot;
  /** Bull Board, where there is a password for it. */
  board: ReturnType<typeof createQueueBoard> | null;
}

/** GitHub waits ten seconds for an answer, and Octokit gives a good one after nine, whatever came of it. */
const longestAddMs = 5_000;

/** Waits are the queue's, where a crash does not lose them; that there are not too many writes at once is Octokit's. */
const Octokit = ProbotOctokit.defaults({
  retry: { enabled: false },
  throttle: { onRateLimit: () => false, onSecondaryRateLimit: () => false },
});

/** What the process that answers GitHub is made of. @throws {UsageFault} the App's settings are not whole. */
export function buildBot(config: Config, log: Logger): Bot {
  const { appId, webhookSecret: secret } = config;
  const privateKey = readPrivateKey(config);
  if (appId === null || privateKey === null || secret === null) {
    throw new UsageFault("APP_ID, WEBHOOK_SECRET, and PRIVATE_KEY or PRIVATE_KEY_PATH are needed together.");
  }
  const BotProbot = Probot.defaults({ appId, privateKey, secret, log, Octokit, baseUrl: config.githubApiUrl });
  const app = new BotProbot();
  const counters = createPrometheusCounters();
  const queue = createBullMqQueue({
    connect: redisConnector(config, log, "hasty"),
    connectWorker: redisConnector(config, log, "patient"),
    prefix: config.redisPrefix,
    lockMs: config.lockMs,
    addMs: longestAddMs,
    onError: (error) => log.warn({ err: error }, "queue"),
  });
  const ledger = createRedisLedger({ connect: redisConnector(config, log, "patient"), prefix: config.redisPrefix });
  counters.queueDepth(() => queue.depths());
  return {
    Probot: BotProbot,
    desk: createGitHubDesk({ appId: Number(appId), authenticate: (id) => app.auth(id ?? undefined) }),
    ledger,
    queue,
    limits: { maxTokens: config.maxTokens, maxAttempts: config.maxAttempts, maxDurationMs: config.maxDurationMs },
    daily: config.daily,
    models: config.models,
    counters,
    log,
    secrets: [privateKey, secret, config.queueSecret, config.boardPassword].filter((each) => each !== null),
    now: () => new Date(),
    board: config.boardPassword === null ? null : createQueueBoard(queue.all(), config.boardPassword),
    async [Symbol.asyncDispose]() {
      await queue[Symbol.asyncDispose]();
      await ledger[Symbol.asyncDispose]();
    },
  };
}

function readPrivateKey({ privateKey, privateKeyPath }: Config): string | null {
  if (privateKey !== null) return privateKey.replaceAll("\\n", "\n");
  if (privateKeyPath === null) return null;
  try {
    return readFileSync(privateKeyPath, "utf8");
  } catch (cause) {
    throw new UsageFault(`PRIVATE_KEY_PATH: ${privateKeyPath} cannot be read`, { cause });
  }
}
