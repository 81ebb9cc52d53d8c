import type { Logger } from "pino";
import { createBullMqQueue } from "../src/adapters/bullmq-queue.ts";
import { createPrometheusCounters, type PrometheusCounters } from "../src/adapters/prometheus-counters.ts";
import { createRedisLedger } from "../src/adapters/redis-ledger.ts";
import type { Config } from "../src/config.ts";
import type { WorkerDeps } from "../src/worker/deps.ts";
import { buildLanguageModel, buildPipeline } from "./build-dependencies.ts";
import { redisConnector } from "./connect-redis.ts";

/** What the process that runs issues is made of. It has no key of the App. */
export async function buildWorker(
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<WorkerDeps & { counters: PrometheusCounters } & AsyncDisposable> {
  const connect = redisConnector(config, log, "patient");
  const { redisPrefix: prefix, lockMs } = config;
  const pipeline = await buildPipeline(config, log, signal);
  const queue = createBullMqQueue({
    connect,
    connectWorker: connect,
    prefix,
    lockMs,
    onError: (error) => log.warn({ err: error }, "queue"),
  });
  const ledger = createRedisLedger({ connect, prefix });
  return {
    queue,
    ledger,
    pipeline,
    languageModel: (name) => buildLanguageModel(config, { name, record: null, replay: null }),
    serverUrl: config.githubServerUrl,
    queueSecret: config.queueSecret,
    memoryBytes: config.memoryBytes,
    daily: config.daily,
    counters: createPrometheusCounters(),
    log,
    async [Symbol.asyncDispose]() {
      await queue[Symbol.asyncDispose]();
      await ledger[Symbol.asyncDispose]();
      await pipeline.index.close();
    },
  };
}
