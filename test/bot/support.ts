import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createBullMqQueue } from "../../src/adapters/bullmq-queue.ts";
import { createRedisLedger } from "../../src/adapters/redis-ledger.ts";
import type { RunRequest } from "../../src/bot/types.ts";
import { bareOutcome, type Outcome } from "../../src/outcome.ts";
import type { Ledger } from "../../src/ports/ledger.ts";
import type { Handler, Queue } from "../../src/ports/queue.ts";
import { type GitHubServer, gitHubIssue, gitHubRepository, startGitHub } from "../doubles/github-server.ts";
import { freePort, type RedisServer, startRedis } from "../doubles/redis-server.ts";

const root = join(import.meta.dirname, "..", "..");

/** A process as an operator starts it. */
export interface Process {
  pid: number;
  /** Lines of its log. */
  log: string[];
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** GitHub, a Redis of its own, and the process that answers GitHub. */
export interface Stage {
  github: GitHubServer;
  redis: RedisServer;
  queue: Queue;
  ledger: Ledger;
  webhook: Process;
  /** Where the process listens: `http://127.0.0.1:PORT`. */
  address: string;
  env: Record<string, string>;
  restartWebhook(): Promise<void>;
  startWorker(env?: Record<string, string>): Promise<Process>;
}

export const repository = "acme/net";

/** A repository with a maintainer `mia`, a triager `tom`, and issue 1 of the reporter `rob`. */
export async function startStage(
  options: { env?: Record<string, string>; files?: Record<string, string> } = {},
): Promise<Stage> {
  const redis = await startRedis();
  onTestFinished(() => redis[Symbol.asyncDispose]());
  const github = await startGitHub();
  onTestFinished(() => github[Symbol.asyncDispose]());
  github.state.repositories[repository] = gitHubRepository({
    files: options.files ?? {},
    collaborators: { mia: "write", tom: "triage", ada: "admin" },
    labels: [{ name: "needs-repro", color: "ededed", description: null }],
    issues: [gitHubIssue({ number: 1, user: "rob", title: "Loss grows", body: "It grows from 1.2 to 500." })],
  });
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  github.webhookUrl = `${address}/api/github/webhooks`;
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    REDIS_URL: redis.url,
    APP_ID: String(github.appId),
    PRIVATE_KEY: github.privateKey,
    WEBHOOK_SECRET: github.webhookSecret,
    GITHUB_API_URL: github.url,
    HOST: "127.0.0.1",
    PORT: String(port),
    REPGEN_LOCK_SECONDS: "3",
    REPGEN_SWEEP_SECONDS: "1",
    REPGEN_QUEUE_SECRET: "a secret of both processes",
    LOG_LEVEL: "info",
    ...options.env,
  };
  const connect = () => redis.connect();
  const queue = createBullMqQueue({
    connect,
    connectWorker: connect,
    prefix: "repgen",
    lockMs: 3_000,
    onError: () => {},
  });
  onTestFinished(() => queue[Symbol.asyncDispose]());
  const ledger = createRedisLedger({ connect, prefix: "repgen" });
  onTestFinished(() => ledger[Symbol.asyncDispose]());
  const stage: Stage = {
    github,
    redis,
    queue,
    ledger,
    webhook: await start("webhook", env, "listening"),
    address,
    env,
    async restartWebhook() {
      stage.webhook = await start("webhook", env, "listening");
    },
    startWorker: (more = {}) => start("reproduce", { ...env, ...more }, "ready"),
  };
  return stage;
}

async function start(name: "webhook" | "reproduce", env: Record<string, string>, ready: string): Promise<Process> {
  const child = spawn(process.execPath, [join(root, "workers", `${name}.ts`)], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) =>
      log.push(
        ...chunk
          .toString()
          .split("\n")
          .filter((line) => line !== ""),
      ),
    );
  }
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const kill = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  onTestFinished(() => kill("SIGKILL"));
  await until(`${name} is ready`, () => {
    if (hasEnded(child)) throw new Error(`${name} ended: ${log.join("\n")}`);
    return log.some((line) => line.includes(`"msg":"${ready}"`));
  });
  return { pid: child.pid ?? 0, log, kill };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Waits until the condition holds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, patienceMs = 20_000): Promise<void> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await delay(50)) {
    if (await holds()) return;
  }
  throw new Error(`not within ${patienceMs} ms: ${what}`);
}

/** Stands in for the process that runs issues; each run ends as `end` says. */
export function workScripted(
  { queue, ledger }: Stage,
  end: (request: RunRequest) => Partial<Outcome> | Promise<Partial<Outcome>>,
  name: "reproduce" | "reproduce-gpu" = "reproduce",
): { runs: RunRequest[] } {
  const runs: RunRequest[] = [];
  const handle: Handler<"reproduce" | "reproduce-gpu"> = async ({ data }) => {
    runs.push(data);
    using cancelled = await ledger.cancelSignal(data.runId);
    const ended = await Promise.race([
      end(data),
      new Promise<Partial<Outcome>>((resolve) => {
        cancelled.addEventListener("abort", () => resolve({ verdict: "cancelled", reason: "The run was cancelled." }));
      }),
    ]);
    const about = { repository: data.home.repository.fullName, number: data.home.issueNumber, title: data.issue.title };
    const bare = bareOutcome({ ...about, url: data.issue.url }, "not-reproduced", "It did not show.");
    await queue.add(
      "outcome",
      { runId: data.runId, outcome: { ...bare, ...ended }, gpuSeconds: 0 },
      { id: `outcome-${data.runId}` },
    );
  };
  const work =
    name === "reproduce"
      ? queue.work("reproduce", { reproduce: handle }, { concurrency: 4 })
      : queue.work("reproduce-gpu", { "reproduce-gpu": handle }, { concurrency: 1 });
  onTestFinished(() => work[Symbol.asyncDispose]());
  return { runs };
}

/** The issue as it is on GitHub now. */
export function issueOf({ github }: Stage, number = 1) {
  const issue = github.state.repositories[repository]?.issues.find((each) => each.number === number);
  if (issue === undefined) throw new Error(`there is no issue ${number}`);
  return issue;
}

/** Comments of the App on an issue. */
export function botComments(stage: Stage, number = 1): string[] {
  return issueOf(stage, number)
    .comments.filter(({ user }) => user.endsWith("[bot]"))
    .map(({ body }) => body);
}

/** Waits until the bot has looked at all that was delivered. */
export async function settled({ github, queue, ledger }: Stage): Promise<void> {
  await github.settled();
  await until("all deliveries are handled", async () => {
    const guids = new Set(github.state.deliveries.map(({ guid }) => guid));
    const states = await Promise.all([...guids].map((guid) => queue.stateOf("delivery", guid)));
    return !states.includes("waiting") && !states.includes("running");
  });
  await ledger.ping();
}
