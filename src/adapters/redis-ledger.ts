import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";
import { IssueRecord, RunProgress } from "../bot/types.ts";
import { BusyFault, DefectFault } from "../errors.ts";
import type { Amounts, IssueKey, Ledger } from "../ports/ledger.ts";

export interface RedisLedgerOptions {
  /** Of a new connection. */
  connect: () => Redis;
  /** Before every key. */
  prefix: string;
  /** How long one may be at an issue before it counts as dead. (Default: 300 s.) */
  lockMs?: number;
  /** How long another is waited for. (Default: 10 s.) */
  patienceMs?: number;
}

const day = 24 * 3600;
/** An issue without an open run is forgotten after so long; its labels then count as somebody else's. */
const keep = { run: 7 * day, spent: 3 * day, issue: 365 * day };
const pollMs = 50;

/** Takes the lock away from nobody but its holder. */
const release = 'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0';
/** Writes the record as long as the lock is held, so that one who was taken for dead cannot undo what came after. */
const save = `if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] == "open" then
  redis.call("set", KEYS[2], ARGV[2])
  redis.call("sadd", KEYS[3], ARGV[4])
else
  redis.call("set", KEYS[2], ARGV[2], "EX", ARGV[5])
  redis.call("srem", KEYS[3], ARGV[4])
end
return 1`;

/** A ledger in Redis. Every key starts with the prefix. */
export function createRedisLedger(options: RedisLedgerOptions): Ledger {
  const { connect, prefix, lockMs = 300_000, patienceMs = 10_000 } = options;
  const redis = connect();
  const key = (...parts: (string | number)[]) => [prefix, ...parts].join(":");
  const openKey = key("open");
  const listeners = new Map<string, AbortController[]>();
  let subscriber: Redis | null = null;

  const listen = async (): Promise<void> => {
    if (subscriber !== null) return;
    subscriber = connect();
    subscriber.on("message", (_channel: string, runId: string) => abort(runId));
    // What was said while the connection was away.
    subscriber.on("ready", () => void lookAgain());
    await subscriber.subscribe(key("cancel"));
  };
  const abort = (runId: string) => {
    for (const controller of listeners.get(runId) ?? []) controller.abort(new Error("cancelled"));
  };
  const lookAgain = async () => {
    for (const runId of listeners.keys()) {
      if ((await redis.exists(key("cancelled", runId)).catch(() => 0)) === 1) abort(runId);
    }
  };

  const takeLock = async (lock: string, token: string): Promise<void> => {
    const until = performance.now() + patienceMs;
    while ((await redis.set(lock, token, "PX", lockMs, "NX")) === null) {
      if (performance.now() > until) throw new BusyFault("another process is at this issue");
      await delay(pollMs);
    }
  };

  const read = async (issue: IssueKey): Promise<IssueRecord> => {
    const stored = await redis.get(key("issue", issue));
    return IssueRecord.parse(stored === null ? {} : JSON.parse(stored));
  };

  return {
    recordOf: read,
    async withIssue(issue, change) {
      const lock = key("lock", issue);
      const token = randomUUID();
      await takeLock(lock, token);
      try {
        const record = await read(issue);
        const keepRecord = async () => {
          if (record.run !== null) await redis.set(key("run", record.run.request.runId), issue, "EX", keep.run);
          const text = JSON.stringify(record);
          const keys = [lock, key("issue", issue), openKey] as const;
          const state = record.run === null ? "closed" : "open";
          const held = await redis.eval(save, 3, ...keys, token, text, state, issue, keep.issue);
          if (held !== 1) throw new BusyFault("another process went on with this issue");
        };
        try {
          return await change(record, keepRecord);
        } finally {
          await keepRecord();
        }
      } finally {
        await redis.eval(release, 1, lock, token).catch(() => 0);
      }
    },
    async openIssues() {
      return (await redis.smembers(openKey)).map(toIssueKey);
    },
    async issueOf(runId) {
      const issue = await redis.get(key("run", runId));
      return issue === null ? null : toIssueKey(issue);
    },

    async requestCancel(runId) {
      await redis.set(key("cancelled", runId), "1", "EX", keep.run);
      await redis.publish(key("cancel"), runId);
    },
    async cancelSignal(runId) {
      const controller = new AbortController();
      listeners.set(runId, [...(listeners.get(runId) ?? []), controller]);
      await listen();
      if ((await redis.exists(key("cancelled", runId))) === 1) controller.abort(new Error("cancelled"));
      return Object.assign(controller.signal, {
        [Symbol.dispose]() {
          const others = (listeners.get(runId) ?? []).filter((each) => each !== controller);
          if (others.length === 0) listeners.delete(runId);
          else listeners.set(runId, others);
        },
      });
    },

    async putProgress(runId, progress) {
      await redis.set(key("progress", runId), JSON.stringify(progress), "EX", keep.run);
    },
    async progressOf(runId) {
      const stored = await redis.get(key("progress", runId));
      return stored === null ? null : RunProgress.parse(JSON.parse(stored));
    },

    async keepPaid(runId, paid, value) {
      const list = key("paid", runId);
      await redis
        .multi()
        .rpush(list, JSON.stringify({ key: paid, value }))
        .expire(list, keep.run)
        .exec();
    },
    async paidOf(runId) {
      return (await redis.lrange(key("paid", runId), 0, -1)).map((entry) => JSON.parse(entry));
    },

    async forgetRun(runId) {
      await redis.del(key("paid", runId), key("progress", runId));
    },

    async spend(scope, onDay, amounts) {
      const hash = key("spent", onDay, scope);
      const transaction = redis.multi();
      for (const name of ["runs", "tokens", "gpuSeconds"] as const) transaction.hincrbyfloat(hash, name, amounts[name]);
      const answers = (await transaction.expire(hash, keep.spent).exec()) ?? [];
      const [runs, tokens, gpuSeconds] = answers.map(([, total]) => Number(total));
      return { runs: runs ?? 0, tokens: tokens ?? 0, gpuSeconds: gpuSeconds ?? 0 };
    },
    async spent(scope, onDay): Promise<Amounts> {
      const stored = await redis.hgetall(key("spent", onDay, scope));
      const amount = (name: keyof Amounts) => Number(stored[name] ?? 0);
      return { runs: amount("runs"), tokens: amount("tokens"), gpuSeconds: amount("gpuSeconds") };
    },

    note: (name) => redis.get(key("note", name)),
    async putNote(name, value, seconds) {
      await redis.set(key("note", name), value, "EX", seconds);
    },

    async ping() {
      await redis.ping();
    },
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      subscriber?.disconnect();
    },
  };
}

function toIssueKey(text: string): IssueKey {
  const [, repository, number] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (repository === undefined || number === undefined) throw new DefectFault(`${text} is no key of an issue`);
  return `${Number(repository)}/${Number(number)}`;
}
