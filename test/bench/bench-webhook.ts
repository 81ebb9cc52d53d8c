/**
 * `npm run bench -- webhook`: what the webhook process costs, as ratios and counts of this one run.
 *
 * 1. Time from a delivery to the start of its run, with an idle worker. 2. Memory of both processes with 1,000 runs in
 * the queue. 3. The 99th percentile of the answers to signed deliveries, beside a bare Probot application, in turns: at a
 * steady rate, and with as many as are taken. 4. 10,000 deliveries of which a third come twice: the jobs that come of them.
 */
import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import { jobs } from "../../src/jobs.ts";
import { repository, setStage, startProcess } from "../bot/stage.ts";
import { freePort } from "../doubles/redis-server.ts";

const rounds = 5;
const perRound = 1_000;
/** Deliveries a second; far more than GitHub sends to one App. */
const steadyRate = 300;
const concurrency = 20;
const print = (line: string) => process.stdout.write(`${line}\n`);
const agent = new Agent({ connections: concurrency });

const examples = createRequire(import.meta.url)("@octokit/webhooks-examples/api.github.com/index.json") as {
  name: string;
  examples: Record<string, unknown>[];
}[];

await using cleanUp = new AsyncDisposableStack();
const quiet = { LOG_LEVEL: "info", REPGEN_SWEEP_SECONDS: "3600", REPGEN_LOCK_SECONDS: "60" };
const stage = await setStage({ env: quiet }, cleanUp);
const barePort = await freePort();
await startProcess("test/bench/bare-probot.ts", { ...stage.env, PORT: String(barePort) }, "listening", cleanUp);
const deliveries = stage.queue.all().find(({ name }) => name === jobs.delivery.queue);

await benchStart();
await benchMemory();
await benchAnswers();
await benchDuplicates();

async function benchAnswers(): Promise<void> {
  const bareAddress = `http://127.0.0.1:${barePort}`;
  await send(stage.address, remarks(300));
  await send(bareAddress, remarks(300));
  for (const rate of [steadyRate, null]) {
    const [ours, theirs]: [number[], number[]] = [[], []];
    const seconds = { ours: 0, theirs: 0 };
    for (let round = 0; round < rounds; round++) {
      seconds.ours += await send(stage.address, remarks(perRound), { times: ours, rate });
      seconds.theirs += await send(bareAddress, remarks(perRound), { times: theirs, rate });
    }
    const [p99, bareP99] = [percentile(ours, 0.99), percentile(theirs, 0.99)];
    const perSecond = (total: number) => Math.round((rounds * perRound) / total);
    print(
      `answers, ${rounds} rounds of ${perRound}, ${rate === null ? `${concurrency} at a time` : `${rate} a second`}:`,
    );
    print(
      `  this app: ${perSecond(seconds.ours)} a second, p50 ${percentile(ours, 0.5).toFixed(1)}, p99 ${p99.toFixed(1)} ms`,
    );
    print(
      `  bare Probot: ${perSecond(seconds.theirs)} a second, p50 ${percentile(theirs, 0.5).toFixed(1)}, p99 ${bareP99.toFixed(1)} ms`,
    );
    print(`  ratio of the p99: ${(p99 / bareP99).toFixed(2)} (at most 1.5)\n`);
  }
}

async function benchDuplicates(): Promise<void> {
  const total = 10_000;
  const unique = total - Math.floor(total / 3);
  // What is handled is not kept for long: nothing is handled while it is counted.
  await deliveries?.pause();
  await delay(1_000);
  const before = await unhandled();
  const once = remarks(unique);
  await send(stage.address, [...once, ...once.slice(0, total - unique)]);
  print(
    `${total} deliveries, ${total - unique} of them twice: ${(await unhandled()) - before} jobs (${unique} are right)`,
  );
}

async function benchStart(): Promise<void> {
  const started: number[] = [];
  const worker = stage.queue.work(
    "reproduce",
    { reproduce: async () => void started.push(performance.now()) },
    { concurrency: 1 },
  );
  await delay(500);
  const from = performance.now();
  await stage.github.act.comment({ repository, number: 1, body: "/repro", by: "mia" });
  while (started.length === 0) await delay(5);
  print(
    `from delivery to the start of the run, idle worker, with GitHub's five answers: ${Math.round((started[0] ?? 0) - from)} ms\n`,
  );
  await worker[Symbol.asyncDispose]();
}

async function benchMemory(): Promise<void> {
  const [key = "0/0"] = await stage.ledger.openIssues();
  const request = (await stage.ledger.recordOf(key)).run?.request;
  if (request === undefined) throw new Error("no run to take as a pattern");
  const body = "x".repeat(10_000);
  const at = (pid: number) => Math.round(residentBytes(pid) / 1024 ** 2);
  const worker = await stage.startWorker({ REPGEN_SANDBOX: "bubblewrap" });
  await delay(2_000);
  const before = [at(stage.webhook.pid), at(worker.pid)];
  for (let count = 0; count < 1_000; count++) {
    const runId = `bench-${count}`;
    // Of GPUs, which this worker has none of: they wait.
    await stage.queue.add(
      "reproduce-gpu",
      { ...request, runId, gpu: true, issue: { ...request.issue, body } },
      { id: runId },
    );
  }
  await delay(3_000);
  print(`1,000 queued runs with reports of 10 kB; resident MiB before and after:`);
  print(`  webhook ${before[0]} → ${at(stage.webhook.pid)}, worker ${before[1]} → ${at(worker.pid)}`);
  await worker.kill("SIGKILL");
}

interface Delivery {
  guid: string;
  body: string;
}

/** Comments that say nothing to the bot, in GitHub's own form. */
function remarks(count: number): Delivery[] {
  const [example = {}] =
    examples.find(({ name }) => name === "issue_comment")?.examples.filter(({ action }) => action === "created") ?? [];
  return Array.from({ length: count }, (_, index) => {
    const comment = { ...(example.comment as object), body: `Just a remark, ${index}.` };
    return {
      guid: randomUUID(),
      body: JSON.stringify({ ...example, comment, installation: { id: stage.github.installationId } }),
    };
  });
}

/** Seconds that it took; adds the milliseconds of each answer to `times`. Null for as many as are taken. */
async function send(
  address: string,
  deliveries: Delivery[],
  { times = [], rate = null }: { times?: number[]; rate?: number | null } = {},
): Promise<number> {
  const signed = deliveries.map((delivery) => ({ ...delivery, signature: sign(delivery.body) }));
  const from = performance.now();
  let next = 0;
  const sendSome = async () => {
    for (let index = next++; index < signed.length; index = next++) {
      const due = rate === null ? 0 : from + (index * 1000) / rate - performance.now();
      if (due > 0) await delay(due);
      const started = performance.now();
      await post(address, signed[index]);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendSome));
  return (performance.now() - from) / 1000;
}

function sign(body: string): string {
  return `sha256=${createHmac("sha256", stage.github.webhookSecret).update(body).digest("hex")}`;
}

async function post(address: string, delivery: (Delivery & { signature: string }) | undefined): Promise<void> {
  const answer = await request(`${address}/api/github/webhooks`, {
    method: "POST",
    dispatcher: agent,
    headers: {
      "content-type": "application/json",
      "x-github-event": "issue_comment",
      "x-github-delivery": delivery?.guid ?? "",
      "x-hub-signature-256": delivery?.signature ?? "",
    },
    body: delivery?.body ?? "",
  });
  await answer.body.dump();
  if (answer.statusCode >= 300) throw new Error(`answered ${answer.statusCode}`);
}

/** Jobs of deliveries that wait. */
async function unhandled(): Promise<number> {
  const counts = (await deliveries?.getJobCounts("waiting", "prioritized", "delayed", "active")) ?? {};
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function percentile(times: number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0;
}

function residentBytes(pid: number): number {
  const [, kib = "0"] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * 1024;
}
