import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type BullMqQueues, createBullMqQueue } from "../../src/adapters/bullmq-queue.ts";
import { ForgeFault, WorkerFault } from "../../src/errors.ts";
import type { Handler, Queue } from "../../src/ports/queue.ts";
import { hasRedis, type RedisServer, startRedis } from "../doubles/redis-server.ts";

describe.skipIf(!hasRedis)("createBullMqQueue (needs redis-server)", { timeout: 30_000 }, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  let tests = 0;
  function makeQueue(): BullMqQueues {
    const connect = () => redis.connect();
    const prefix = `test-${tests++}`;
    const queue = createBullMqQueue({ connect, connectWorker: connect, prefix, lockMs: 5_000, onError: () => {} });
    onTestFinished(() => queue[Symbol.asyncDispose]());
    return queue;
  }

  function work(queue: Queue, token: Handler<"token">, onLost: string[] = []) {
    const worker = queue.work(
      "tokens",
      { token },
      { concurrency: 1, onLost: async (_name, id) => void onLost.push(id) },
    );
    onTestFinished(() => worker[Symbol.asyncDispose]());
    return worker;
  }

  async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let waits = 0; waits < 300; waits++) {
      if (await holds()) return;
      await delay(50);
    }
    throw new Error("it does not come to that");
  }

  it("handles a job once, however often it is added", async () => {
    const queue = makeQueue();
    const handled: string[] = [];
    for (let count = 0; count < 3; count++) await queue.add("token", { runId: "a" }, { id: "job-1" });
    work(queue, async ({ id, data }) => void handled.push(`${id} ${data.runId}`));
    await until(async () => (await queue.stateOf("token", "job-1")) === "over");

    await queue.add("token", { runId: "a" }, { id: "job-1" });
    await delay(300);

    expect(handled).toEqual(["job-1 a"]);
  });

  it("remembers a job that is over once its data is gone", async () => {
    const queue = makeQueue();
    let handled = 0;
    work(queue, async ({ id }) => void (id === "job-1" && handled++));
    const isOver = async (id: string) => (await queue.stateOf("token", id)) === "over";
    await queue.add("token", { runId: "a" }, { id: "job-1" });
    await until(() => isOver("job-1"));
    for (let count = 0; count < 600; count++) await queue.add("token", { runId: "b" }, { id: `later-${count}` });
    await until(() => isOver("later-599"));
    const kept = await Promise.all(queue.all().map((each) => each.getJob("job-1")));
    expect(kept.every((job) => job === undefined)).toBe(true);

    await queue.add("token", { runId: "a" }, { id: "job-1" });
    await delay(300);

    expect(handled).toBe(1);
    expect(await isOver("job-1")).toBe(true);
  });

  it("tries again after a fault that can pass, and tells how often it has", async () => {
    const queue = makeQueue();
    const tries: number[] = [];
    await queue.add("token", { runId: "a" }, { id: "job-1" });
    work(queue, async (job) => {
      tries.push(job.tries);
      if (tries.length < 3) throw new WorkerFault("away");
    });

    await until(async () => (await queue.stateOf("token", "job-1")) === "over");

    expect(tries).toEqual([0, 1, 2]);
  });

  it("gives up at once after one that cannot", async () => {
    const queue = makeQueue();
    const lost: string[] = [];
    let tries = 0;
    await queue.add("token", { runId: "a" }, { id: "job-1" });
    work(
      queue,
      async () => {
        tries++;
        throw new ForgeFault("gone", { status: 404, retryable: false });
      },
      lost,
    );

    await until(() => lost.length > 0);

    expect({ tries, lost, state: await queue.stateOf("token", "job-1") }).toEqual({
      tries: 1,
      lost: ["job-1"],
      state: "lost",
    });
  });

  it("comes again when whoever refused says so, at no try's cost", async () => {
    const queue = makeQueue();
    const at: number[] = [];
    const tries: number[] = [];
    await queue.add("token", { runId: "a" }, { id: "job-1" });
    work(queue, async (job) => {
      at.push(performance.now());
      tries.push(job.tries);
      if (at.length === 1) throw new ForgeFault("limit", { status: 429, retryable: true, retryAfterMs: 700 });
    });

    await until(async () => (await queue.stateOf("token", "job-1")) === "over");

    expect(tries).toEqual([0, 0]);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(650);
  });

  it("hands a job back when its worker stops, at no try's cost", async () => {
    const queue = makeQueue();
    const seen: string[] = [];
    await queue.add("token", { runId: "a" }, { id: "job-1" });
    const first = work(queue, async (_job, signal) => {
      seen.push("first");
      await delay(20_000, undefined, { signal });
    });
    await until(() => seen.length === 1);

    await first[Symbol.asyncDispose]();
    work(queue, async (job) => void seen.push(`second, after ${job.tries} tries`));
    await until(() => seen.length === 2);

    expect(seen).toEqual(["first", "second, after 0 tries"]);
  });

  it("lets one job that waits stand for all that say the same, and follow one that runs", async () => {
    const queue = makeQueue();
    const gate = Promise.withResolvers<void>();
    let handled = 0;
    const add = () => queue.add("token", { runId: "a" }, { id: "same", coalesce: true });
    for (let count = 0; count < 5; count++) await add();
    work(queue, async () => {
      handled++;
      await gate.promise;
    });
    await until(() => handled === 1);
    for (let count = 0; count < 5; count++) await add();
    gate.resolve();

    await until(() => handled === 2);
    await delay(500);

    expect(handled).toBe(2);
  });

  it("takes out what waits, not what runs, and lets the first priority go first", async () => {
    const queue = makeQueue();
    const order: string[] = [];
    await queue.add("token", { runId: "late" }, { id: "late", priority: 5 });
    await queue.add("token", { runId: "soon" }, { id: "soon", priority: 1 });
    await queue.add("token", { runId: "never" }, { id: "never", priority: 1 });

    expect(await queue.remove("token", "never")).toBe("removed");
    expect(await queue.remove("token", "unheard-of")).toBe("gone");
    const gate = Promise.withResolvers<void>();
    work(queue, async ({ id }) => {
      order.push(id);
      await gate.promise;
    });
    await until(() => order.length === 1);
    expect(await queue.remove("token", "soon")).toBe("running");
    gate.resolve();
    await until(() => order.length === 2);

    expect(order).toEqual(["soon", "late"]);
  });

  it("refuses data that is not the job's", async () => {
    const queue = makeQueue();

    await expect(queue.add("token", { runId: 3 } as never, { id: "job-1" })).rejects.toThrow();
  });
});
