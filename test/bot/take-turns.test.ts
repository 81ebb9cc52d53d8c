import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBullMqQueue } from "../../src/adapters/bullmq-queue.ts";
import { takeTurns } from "../../src/bot/take-turns.ts";
import { BusyFault } from "../../src/errors.ts";
import { hasRedis, startRedis } from "../doubles/redis-server.ts";
import { until } from "./support.ts";

describe("takeTurns", () => {
  it("lets so many of an installation be at it, and sends others away one after the other", () => {
    let now = 1_000;
    const turns = takeTurns({ most: 2, spacingMs: 100 }, () => now);
    const waits = () => {
      try {
        turns.enter(1);
        return 0;
      } catch (error) {
        return error instanceof BusyFault ? error.retryAfterMs : null;
      }
    };

    const first = turns.enter(1);
    turns.enter(1);
    expect([waits(), waits()]).toEqual([100, 200]);
    turns.enter(2);
    first[Symbol.dispose]();
    expect([waits(), waits()]).toEqual([0, 300]);
    now += 10_000;
    expect(waits()).toBe(100);
  });

  it("has one more place for whoever waits for an answer", () => {
    const turns = takeTurns({ most: 1, spacingMs: 100 });

    turns.enter(1);
    turns.enter(1, { urgent: true });

    expect(() => turns.enter(1, { urgent: true })).toThrow(BusyFault);
  });
});

describe.skipIf(!hasRedis)("turns in a queue (needs redis-server)", { timeout: 30_000 }, () => {
  it("keep hands free for others while one installation's jobs wait for GitHub", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis[Symbol.asyncDispose]());
    const connect = () => redis.connect();
    const queue = createBullMqQueue({ connect, connectWorker: connect, prefix: "t", lockMs: 5_000, onError: () => {} });
    onTestFinished(() => queue[Symbol.asyncDispose]());
    const turns = takeTurns({ most: 2, spacingMs: 50 });
    const gate = Promise.withResolvers<void>();
    const handled: string[] = [];
    const add = (id: string) => queue.add("token", { runId: id }, { id });
    for (let count = 0; count < 30; count++) await add(`busy-${count}`);
    const worker = queue.work(
      "tokens",
      {
        async token({ id }) {
          using _turn = turns.enter(id.startsWith("busy") ? 1 : 2);
          if (id.startsWith("busy")) await gate.promise;
          handled.push(id);
        },
      },
      { concurrency: 8 },
    );
    onTestFinished(() => worker[Symbol.asyncDispose]());
    await delay(500);

    await add("other");
    await until("the other is handled", () => handled.includes("other"));
    expect(handled).toEqual(["other"]);
    gate.resolve();
    await until("all are handled", () => handled.length === 31);
  });
});
