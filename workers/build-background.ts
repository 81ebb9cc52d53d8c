import { createBullMqQueue } from "../src/adapters/bullmq-queue.ts";
import { createRedisLedger } from "../src/adapters/redis-ledger.ts";
import type { BuildBackground } from "../src/cli/io.ts";
import { RedisFault } from "../src/errors.ts";
import { createLog } from "../src/log.ts";
import { redisConnector } from "./connect-redis.ts";

/** What the command line reaches the bot's runs by. Fails soon when Redis is not there. */
export const buildBackground: BuildBackground = async (config) => {
  const log = createLog(config.logLevel ?? "silent");
  const connect = redisConnector(config, log, "hasty");
  const { redisPrefix: prefix, lockMs } = config;
  const queue = createBullMqQueue({ connect, connectWorker: connect, prefix, lockMs, onError: () => {} });
  const ledger = createRedisLedger({ connect, prefix });
  const background = {
    queue,
    ledger,
    async [Symbol.asyncDispose]() {
      await queue[Symbol.asyncDispose]();
      await ledger[Symbol.asyncDispose]();
    },
  };
  try {
    await ledger.ping();
    return background;
  } catch (cause) {
    await background[Symbol.asyncDispose]();
    throw new RedisFault("Redis does not answer at REDIS_URL", { cause });
  }
};
