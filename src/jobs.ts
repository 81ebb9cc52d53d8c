import { z } from "zod";
import { Delivery } from "./bot/delivery.ts";
import { RunRequest } from "./bot/types.ts";
import { Outcome } from "./outcome.ts";

const second = 1_000;
const day = 24 * 3600;

/**
 * Every job there is. `attempts` and `backoffMs` are for faults that can pass, the wait doubling up to `longestBackoffMs`.
 * A job's id is not taken again for `rememberSeconds` from when it was added; its data is gone soon after its end.
 */
export const jobs = {
  /** A webhook delivery, to be looked at after GitHub has its answer. Id: its GUID. */
  delivery: {
    queue: "deliveries",
    data: Delivery,
    attempts: 100,
    backoffMs: second / 2,
    longestBackoffMs: 300 * second,
    rememberSeconds: 4 * day,
  },
  /** Recovers what was missed: deliveries while nothing listened, runs that got lost. Repeated. */
  sweep: {
    queue: "deliveries",
    data: z.object({}),
    attempts: 1,
    backoffMs: 0,
    longestBackoffMs: 0,
    rememberSeconds: 60,
  },
  /** One run on a worker's CPUs. Id: the run's. */
  reproduce: {
    queue: "reproduce",
    data: RunRequest,
    attempts: 4,
    backoffMs: 10 * second,
    longestBackoffMs: 300 * second,
    rememberSeconds: 7 * day,
  },
  /** One run that needs a GPU. */
  "reproduce-gpu": {
    queue: "reproduce-gpu",
    data: RunRequest,
    attempts: 4,
    backoffMs: 10 * second,
    longestBackoffMs: 300 * second,
    rememberSeconds: 7 * day,
  },
  /** The run's comment is behind what is known. One of a run at a time. */
  progress: {
    queue: "report",
    data: z.object({ runId: z.string() }),
    attempts: 3,
    backoffMs: 5 * second,
    longestBackoffMs: 60 * second,
    rememberSeconds: 60,
  },
  /** The end of a run, to be told. Id: `outcome-` and the run's. */
  outcome: {
    queue: "report",
    data: z.object({ runId: z.string(), outcome: Outcome, gpuSeconds: z.number().nonnegative() }),
    attempts: 200,
    backoffMs: second / 2,
    longestBackoffMs: 300 * second,
    rememberSeconds: 7 * day,
  },
  /** A worker asks for a token to read one private repository. Id: random. */
  token: {
    queue: "tokens",
    data: z.object({ runId: z.string() }),
    attempts: 5,
    backoffMs: 1 * second,
    longestBackoffMs: 10 * second,
    rememberSeconds: 60,
  },
} as const satisfies Record<string, JobKind>;

interface JobKind {
  queue: string;
  data: z.ZodType;
  attempts: number;
  backoffMs: number;
  longestBackoffMs: number;
  rememberSeconds: number;
}

export type JobName = keyof typeof jobs;
export type JobData<N extends JobName> = z.infer<(typeof jobs)[N]["data"]>;
export type QueueName = (typeof jobs)[JobName]["queue"];
export type JobsOf<Q extends QueueName> = { [N in JobName]: (typeof jobs)[N]["queue"] extends Q ? N : never }[JobName];

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(jobs, name);
}
