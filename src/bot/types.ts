/** The nouns of the bot: what travels between its processes, and what it remembers. */
import { z } from "zod";
import { Verdict } from "../types.ts";
import { Delivery } from "./delivery.ts";

/** Where a run writes to and reads from; taken from the delivery that started it, never from what a worker says. */
export const Home = z.object({
  installationId: z.number(),
  repository: z.object({ id: z.number(), fullName: z.string(), private: z.boolean() }),
  issueNumber: z.number(),
});
export type Home = z.infer<typeof Home>;

/** A run as it waits in the queue. The issue's text is the one of the moment that it was asked for. */
// Fields that come later need a default: what waits in a queue or lies in a record was written before.
export const RunRequest = z.object({
  runId: z.string(),
  home: Home,
  issue: z.object({
    title: z.string(),
    /** The body, and the reporter's comments under it. */
    body: z.string(),
    createdAt: z.string(),
    url: z.string(),
  }),
  /** SHA-256 of title and body, and when they were read. */
  pinned: z.object({ hash: z.string(), at: z.string() }),
  trigger: z.object({ kind: z.enum(["label", "command", "retry", "answer"]), by: z.string(), at: z.string() }),
  ref: z.string().nullable(),
  python: z.string().nullable(),
  withPackages: z.array(z.string()),
  gpu: z.boolean(),
  runs: z.number().int().min(1).max(20),
  model: z.string().nullable(),
  hint: z.string().nullable(),
  limits: z.object({ maxTokens: z.number(), maxAttempts: z.number(), maxDurationMs: z.number() }),
  /** From the repository's settings. */
  setup: z.array(z.string()).default([]),
  network: z.array(z.string()).default([]),
  test: z.string().nullable().default(null),
  /** Globs of the project's files that are neither shown to a model nor indexed. */
  leaveOut: z.array(z.string()).default([]),
  /** The label that asks for a run, and those that tell its verdict: as they were when it was asked for. */
  labels: z
    .object({ trigger: z.string(), outcomes: z.partialRecord(Verdict, z.string().nullable()) })
    .default({ trigger: "needs-repro", outcomes: {} }),
});
export type RunRequest = z.infer<typeof RunRequest>;

/** What is told of a run while it goes. */
export const RunProgress = z.object({
  startedAt: z.string(),
  stages: z.array(
    z.object({
      name: z.string(),
      state: z.enum(["running", "done", "failed"]),
      durationMs: z.number(),
      detail: z.string().max(200),
    }),
  ),
  attempts: z.number(),
  tokens: z.number(),
  /** What the worker has been at it for, with what workers that were lost had been. */
  durationMs: z.number().default(0),
  gpuSeconds: z.number().default(0),
  /** A daily limit holds the run back; null when none does. */
  held: z.object({ what: z.string(), until: z.string() }).nullable().default(null),
});
export type RunProgress = z.infer<typeof RunProgress>;

/** What the bot knows of an issue. */
export const IssueRecord = z.object({
  /** Null before the first run. */
  home: Home.nullable().default(null),
  /** The run that has been asked for and whose end has not been told. */
  run: z
    .object({
      request: RunRequest,
      /** The comment that tells of it; null before it is there. */
      commentId: z.number().nullable(),
      /** Somebody deleted it: it is not written again in this run. */
      commentGone: z.boolean(),
      /** What the comment says now. */
      told: z.string(),
      /** What of the run is counted against the day's limits already. */
      counted: z.object({ tokens: z.number(), gpuSeconds: z.number() }).default({ tokens: 0, gpuSeconds: 0 }),
      /** What the reporter said while it was under way: looked at again when the run ends with a question. */
      heard: Delivery.nullable().default(null),
    })
    .nullable()
    .default(null),
  last: z
    .object({
      /** Without the report: that is the issue's. */
      request: RunRequest.omit({ issue: true }),
      verdict: Verdict,
      commentUrl: z.string().nullable(),
      endedAt: z.string(),
    })
    .nullable()
    .default(null),
  /** Hashes of the questions that the reporter was asked. */
  asked: z.array(z.string()).default([]),
  /** Runs that an answer of the reporter started, since somebody with rights asked for one. */
  answers: z.number().default(0),
  /** Does the reporter's next word start a run. */
  awaitsReporter: z.boolean().default(false),
  /** When somebody with rights last asked for the end of a run: what was asked for before is not begun. */
  cancelledAt: z.string().nullable().default(null),
  /** Labels that the bot has set and not taken away. */
  labels: z.array(z.string()).default([]),
});
export type IssueRecord = z.infer<typeof IssueRecord>;
