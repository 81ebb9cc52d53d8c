import { setTimeout as delay } from "node:timers/promises";
import { Queue as BullQueue, DelayedError, type Job, UnrecoverableError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { Fault, RedisFault } from "../errors.ts";
import { isJobName, type JobName, jobs, type QueueName } from "../jobs.ts";
import type { AddOptions, Handler, Handlers, JobState, Queue, WorkOptions } from "../ports/queue.ts";

export interface BullMqQueueOptions {
  connect: () => Redis;
  /** The same, for those who wait for jobs: each on a connection of its own, and for as long as it takes. */
  connectWorker: () => Redis;
  /** Before every key. */
  prefix: string;
  /** After so long without a sign of life of its process a job is handed to another. */
  lockMs: number;
  /** How long adding a job may take; it may be added all the same, later. (Default: as long as Redis is away.) */
  addMs?: number;
  /** Told of what goes wrong outside of any job: Redis away, a lock lost. */
  onError: (error: Error) => void;
}

const names = Object.keys(jobs).filter(isJobName);

/** How often a job may lose its process before it counts as the one that kills it. */
const maxStalledCount = 3;
/** A job that was handed back waits so long for whoever stops to be gone. */
const handBackMs = 500;
/** For operators to look at; `age` in seconds. */
const kept = { done: { age: 3600, count: 500 }, failed: { age: 7 * 24 * 3600, count: 500 } };
/** Priorities of BullMQ end here. */
const lowestPriority = 2_000_000;

/** Queues on Redis; what operators look at besides. */
export interface BullMqQueues extends Queue {
  all(): BullQueue[];
  /** Job's name → how many wait, for one job of each queue. */
  depths(): Promise<Record<string, number>>;
}

export function createBullMqQueue(options: BullMqQueueOptions): BullMqQueues {
  const shared = options.connect();
  const queues = new Map<string, BullQueue>();
  const queueOf = (name: JobName): BullQueue => {
    const key = jobs[name].queue;
    const queue = queues.get(key) ?? new BullQueue(key, { connection: shared, prefix: options.prefix });
    if (!queues.has(key)) queue.on("error", options.onError);
    queues.set(key, queue);
    return queue;
  };
  return {
    async add(name, data, { id, delayMs = 0, priority = 1, coalesce = false }: AddOptions) {
      const added = queueOf(name).add(name, jobs[name].data.parse(data), {
        ...(coalesce
          ? { deduplication: { id, keepLastIfActive: true } }
          : { jobId: id, deduplication: { id, ttl: jobs[name].rememberSeconds * 1000 } }),
        delay: delayMs,
        priority: Math.min(priority, lowestPriority),
        ...triesOf(name),
      });
      await withinMs(added, options.addMs);
    },
    async remove(name, id) {
      const job = await queueOf(name).getJob(id);
      if (job === undefined) return "gone";
      const state = await job.getState();
      if (state === "completed" || state === "failed") return "gone";
      if (state === "active") return "running";
      return await job.remove().then(
        () => "removed",
        () => "running",
      );
    },
    async stateOf(name, id) {
      const queue = queueOf(name);
      const job = await queue.getJob(id);
      if (job !== undefined) return toState(await job.getState());
      return (await queue.getDeduplicationJobId(id)) === null ? "gone" : "over";
    },
    async waiting(name) {
      const counts = await queueOf(name).getJobCounts("waiting", "prioritized", "delayed");
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    all: () => [...new Set(names.map(queueOf))],
    async depths() {
      const depths = names.map(async (name) => {
        const { waiting = 0, prioritized = 0, delayed = 0 } = await queueOf(name).getJobCounts();
        return [jobs[name].queue, waiting + prioritized + delayed] as const;
      });
      return Object.fromEntries(await Promise.all(depths));
    },
    async repeat(name, everyMs) {
      await queueOf(name).upsertJobScheduler(name, { every: everyMs }, { name, data: {}, opts: triesOf(name) });
    },
    work: (queue, handlers, work) => startWorker(queue, handlers, work, options),
    async [Symbol.asyncDispose]() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      shared.disconnect();
    },
  };
}

async function withinMs(promise: Promise<unknown>, limitMs: number | undefined): Promise<void> {
  if (limitMs === undefined) return void (await promise);
  const late = new AbortController();
  const tooLate = delay(limitMs, undefined, { signal: late.signal, ref: false }).then(() => {
    throw new RedisFault(`Redis did not take a job within ${limitMs} ms`);
  });
  tooLate.catch(() => {});
  try {
    await Promise.race([promise, tooLate]);
  } finally {
    late.abort();
    promise.catch(() => {});
  }
}

function triesOf(name: JobName) {
  const { attempts, backoffMs } = jobs[name];
  return {
    attempts,
    backoff: { type: "custom", delay: backoffMs },
    removeOnComplete: kept.done,
    removeOnFail: kept.failed,
  };
}

function toState(state: string): JobState {
  switch (state) {
    case "completed":
      return "over";
    case "failed":
      return "lost";
    case "active":
      return "running";
    case "unknown":
      return "gone";
    default:
      return "waiting";
  }
}

function startWorker<Q extends QueueName>(
  queue: Q,
  handlers: Handlers<Q>,
  { concurrency, perSecond, onLost }: WorkOptions,
  { connectWorker, prefix, lockMs, onError }: BullMqQueueOptions,
): AsyncDisposable {
  const connection = connectWorker();
  const stopping = new AbortController();
  const byName = new Map<string, Handler<JobName>>(Object.entries(handlers));
  // BullMQ hands the signal to processors that declare three parameters.
  const process = async (job: Job, token: string | undefined, signal: AbortSignal | undefined): Promise<void> => {
    const handle = byName.get(job.name);
    if (handle === undefined || !isJobName(job.name)) throw new UnrecoverableError(`there is no job ${job.name} here`);
    const data = jobs[job.name].data.safeParse(job.data);
    if (!data.success) throw new UnrecoverableError(`not the data of ${job.name}: ${data.error.message}`);
    const ended = AbortSignal.any([stopping.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      await handle({ id: job.id ?? "", data: data.data, tries: job.attemptsMade }, ended);
    } catch (error) {
      if (stopping.signal.aborted) return await handBack(job, token, handBackMs);
      if (error instanceof Fault && error.retryAfterMs !== null) return await handBack(job, token, error.retryAfterMs);
      if (error instanceof Fault && !error.retryable) throw new UnrecoverableError(error.message);
      throw error;
    }
  };
  const worker = new Worker(queue, process, {
    connection,
    prefix,
    concurrency,
    ...(perSecond === undefined ? {} : { limiter: { max: perSecond, duration: 1000 } }),
    lockDuration: lockMs,
    stalledInterval: lockMs,
    maxStalledCount,
    settings: { backoffStrategy: (tries, _type, _error, job) => backoffMs(tries, job?.name ?? "") },
  });
  worker.on("error", onError);
  worker.on("lockRenewalFailed", (ids) => {
    for (const id of ids) worker.cancelJob(id, "another process has taken the job over");
  });
  worker.on("failed", (job, error) => {
    const isLast = job === undefined || job.finishedOn !== undefined;
    if (isLast && job?.id !== undefined && isJobName(job.name)) void onLost?.(job.name, job.id, error);
  });
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error("the process stops"));
      await worker.close();
      connection.disconnect();
    },
  };
}

async function handBack(job: Job, token: string | undefined, delayMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + delayMs, token);
  throw new DelayedError();
}

/** Doubles from try to try; up to a quarter more, so that those that failed together do not come together. */
function backoffMs(tries: number, name: string): number {
  if (!isJobName(name)) return 0;
  const kind = jobs[name];
  const wait = Math.min(kind.backoffMs * 2 ** (tries - 1), kind.longestBackoffMs);
  return Math.round(wait * (1 + Math.random() / 4));
}
