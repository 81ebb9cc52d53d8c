import type { JobData, JobName, JobsOf, QueueName } from "../jobs.ts";

/** Jobs between processes: each handled at least once, kept over a crash of whoever handles it. */
export interface Queue extends AsyncDisposable {
  /** Adds a job; nothing happens when there is one of the same `id`, waiting, running or remembered. */
  add<N extends JobName>(name: N, data: JobData<N>, options: AddOptions): Promise<void>;
  /** Takes a job out before it has begun. `running` when it is too late for that, `gone` when there is none. */
  remove(name: JobName, id: string): Promise<"removed" | "running" | "gone">;
  stateOf(name: JobName, id: string): Promise<JobState>;
  /** Jobs that wait, with those that wait for their next try. */
  waiting(name: JobName): Promise<number>;
  /** Adds a job every so often, once for all processes that ask for it. */
  repeat(name: JobName, everyMs: number): Promise<void>;
  /** Handles a queue's jobs, so many at a time, until it is disposed of: then those that run are ended and handed back. */
  work<Q extends QueueName>(queue: Q, handlers: Handlers<Q>, options: WorkOptions): AsyncDisposable;
}

export interface AddOptions {
  /** Letters, digits, `-` and `_`. */
  id: string;
  delayMs?: number;
  /** 1 is first. (Default: 1.) */
  priority?: number;
  /** One that waits stands for this one; one that runs is followed by this one. For jobs that only say that something changed. */
  coalesce?: boolean;
}

/** `over`: it was handled, which is remembered for a while. `lost`: its tries are used up. */
export type JobState = "waiting" | "running" | "over" | "lost" | "gone";

export interface WorkOptions {
  concurrency: number;
  /** Most jobs begun in a second, by all processes together. (Default: as many as come.) */
  perSecond?: number;
  /** When the last try of a job has failed. Contract: must not reject. */
  onLost?: (name: JobName, id: string, error: Error) => Promise<void>;
}

/**
 * A throw is a try: a `Fault` that is not retryable is the last one. `signal` aborts when the process stops, or another
 * has taken the job over; what is thrown then costs no try.
 */
export type Handler<N extends JobName> = (
  job: { id: string; data: JobData<N>; tries: number },
  signal: AbortSignal,
) => Promise<void>;

export type Handlers<Q extends QueueName> = { [N in JobsOf<Q>]: Handler<N> };
