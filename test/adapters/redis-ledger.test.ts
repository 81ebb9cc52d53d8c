import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createRedisLedger } from "../../src/adapters/redis-ledger.ts";
import { BusyFault } from "../../src/errors.ts";
import { hasRedis, type RedisServer, startRedis } from "../doubles/redis-server.ts";

describe.skipIf(!hasRedis)("createRedisLedger (needs redis-server)", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  let tests = 0;
  function makeLedger(options: { lockMs?: number; patienceMs?: number; prefix?: string } = {}) {
    const { prefix = `test-${tests++}`, ...others } = options;
    const ledger = createRedisLedger({ connect: () => redis.connect(), prefix, ...others });
    onTestFinished(() => ledger[Symbol.asyncDispose]());
    return { ledger, prefix };
  }

  it("starts with an empty record, and keeps what a change leaves of it", async () => {
    const { ledger } = makeLedger();
    await ledger.withIssue("1/2", async (record) => void record.labels.push("a"));

    await ledger.withIssue("1/2", async (record) => void record.labels.push("b"));

    expect(await ledger.recordOf("1/2")).toMatchObject({ run: null, last: null, answers: 0, labels: ["a", "b"] });
    expect((await ledger.recordOf("1/3")).labels).toEqual([]);
  });

  it("keeps a record whose change fails, as far as it came", async () => {
    const { ledger } = makeLedger();

    const change = ledger.withIssue("1/2", async (record) => {
      record.answers = 2;
      throw new Error("GitHub is away");
    });

    await expect(change).rejects.toThrow("GitHub is away");
    expect((await ledger.recordOf("1/2")).answers).toBe(2);
  });

  it("lets one at a time change an issue, in every process", async () => {
    const { ledger, prefix } = makeLedger();
    const { ledger: other } = makeLedger({ prefix });
    const count = (by: typeof ledger) =>
      by.withIssue("1/2", async (record) => {
        const before = record.answers;
        await delay(5);
        record.answers = before + 1;
      });

    await Promise.all(Array.from({ length: 10 }, (_, index) => count(index % 2 === 0 ? ledger : other)));

    expect((await ledger.recordOf("1/2")).answers).toBe(10);
  });

  it("gives up when another is at the issue for too long", async () => {
    const { ledger, prefix } = makeLedger();
    const { ledger: other } = makeLedger({ prefix, patienceMs: 100 });
    const held = Promise.withResolvers<void>();
    const holding = ledger.withIssue("1/2", () => held.promise);
    await delay(50);

    await expect(other.withIssue("1/2", async () => {})).rejects.toThrow(BusyFault);
    held.resolve();
    await holding;
  });

  it("takes over from one that counts as dead, which then changes nothing any more", async () => {
    const { ledger, prefix } = makeLedger({ lockMs: 100 });
    const { ledger: other } = makeLedger({ prefix });
    const late = ledger.withIssue("1/2", async (record) => {
      await delay(400);
      record.labels = ["late"];
    });
    await delay(50);

    await other.withIssue("1/2", async (record) => void record.labels.push("in time"));

    await expect(late).rejects.toThrow(BusyFault);
    expect((await other.recordOf("1/2")).labels).toEqual(["in time"]);
  });

  it("aborts a cancelled run in every process, before it begins and after", async () => {
    const { ledger, prefix } = makeLedger();
    const { ledger: worker } = makeLedger({ prefix });
    using running = await worker.cancelSignal("run-1");
    using other = await worker.cancelSignal("run-2");

    await ledger.requestCancel("run-1");
    await delay(100);
    using again = await worker.cancelSignal("run-1");

    expect([running, other, again].map(({ aborted }) => aborted)).toEqual([true, false, true]);
  });

  it("tells of a cancellation that came while Redis was away", async () => {
    const { ledger } = makeLedger();
    using signal = await ledger.cancelSignal("run-1");
    const direct = redis.connect();
    const [{ prefix }] = [{ prefix: `test-${tests - 1}` }];
    await direct.set(`${prefix}:cancelled:run-1`, "1");
    direct.disconnect();

    await redis.kill();
    await redis.start();

    for (let waits = 0; waits < 100 && !signal.aborted; waits++) await delay(50);
    expect(signal.aborted).toBe(true);
  });

  it("gives back what was paid for, in order, and adds up what a day has cost", async () => {
    const { ledger } = makeLedger();
    for (const value of ["first", "second"]) await ledger.keepPaid("run-1", "reply", value);
    await ledger.spend("everything", "2026-01-31", { runs: 1, tokens: 10, gpuSeconds: 0.5 });
    await ledger.spend("everything", "2026-01-31", { runs: 1, tokens: 5, gpuSeconds: 0.25 });

    expect((await ledger.paidOf("run-1")).map(({ value }) => value)).toEqual(["first", "second"]);
    expect(await ledger.paidOf("run-2")).toEqual([]);
    expect(await ledger.spent("everything", "2026-01-31")).toEqual({ runs: 2, tokens: 15, gpuSeconds: 0.75 });
    expect(await ledger.spent("everything", "2026-02-01")).toEqual({ runs: 0, tokens: 0, gpuSeconds: 0 });
  });
});
