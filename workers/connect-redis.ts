import { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Config } from "../src/config.ts";

const longestPauseMs = 2_000;
/** One who waits for GitHub's ten seconds to pass is told sooner. */
const hastyTries = 4;
const hastyMs = 3_000;

/**
 * Makes connections to Redis. Patient ones wait for it to come back, however long that takes; hasty ones fail within
 * seconds, for a caller who has to answer.
 */
export function redisConnector(config: Config, log: Logger, temper: "patient" | "hasty"): () => Redis {
  return () => {
    const redis = new Redis(config.redisUrl, {
      ...(temper === "patient"
        ? { maxRetriesPerRequest: null }
        : { maxRetriesPerRequest: hastyTries, commandTimeout: hastyMs }),
      retryStrategy: (tries) => Math.min(100 * 2 ** tries, longestPauseMs),
    });
    redis.on("error", (error) => log.warn({ err: error }, "Redis"));
    return redis;
  };
}
