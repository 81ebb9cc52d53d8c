/**
 * `npm run bench -- webhook`: what the webhook process costs, as ratios and counts of this one run.
 *
 * 1. Signed deliveries a second and the 99th percentile of their answers, beside a bare Probot application, in turns.
 * 2. 10,000 deliveries of which a third come twice: the jobs that come of them. 3. Time from a delivery to the start of
 * its run, with an idle worker. 4. Memory of both processes with 1,000 runs in the queue.
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

await benchAnswers();
await benchDuplicates();
await benchStart();
await benchMemory();

async function benchAnswers(): Promise<void> {
  const [ours, theirs]: [number[], number[]] = [[], []];
  const seconds = { ours: 0, theirs: 0 };
  await send(stage.address, remarks(200));
  await send(`http://127.0.0.1:${barePort}`, remarks(200));
  for (let round = 0; round < rounds; round++) {
    seconds.ours += await send(stage.address, remarks(perRound), ours);
    await drained();
    seconds.theirs += await send(`http://127.0.0.1:${barePort}`, remarks(perRound), theirs);
  }
  const [p99, bareP99] = [percentile(ours, 0.99), percentile(theirs, 0.99)];
  const rate = (total: number) => Math.round((rounds * perRound) / total);
  print(`deliveries, ${rounds} rounds of ${perRound}, ${concurrency} at a time:`);
  print(`  this app ${rate(seconds.ours)} a second, p99 ${p99.toFixed(1)} ms`);
  print(`  bare Probot ${rate(seconds.theirs)} a second, p99 ${bareP99.toFixed(1)} ms`);
  print(`  ratio of the p99 ${(p99 / bareP99).toFixed(2)} (at most 1.5)\n`);
}

async function benchDuplicates(): Promise<void> {
  const total = 10_000;
  const unique = total - Math.floor(total / 3);
  const before = await handled();
  const once = remarks(unique);
  await send(stage.address, [...once, ...once.slice(0, total - unique)]);
  await drained();
  print(
    `${total} deliveries, ${total - unique} of them twice: ${(await handled()) - before} jobs (${unique} are right)\n`,
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

/** Seconds that it took; adds the milliseconds of each answer to `times`. */
async function send(address: string, deliveries: Delivery[], times: number[] = []): Promise<number> {
  const left = [...deliveries];
  const from = performance.now();
  const sendSome = async () => {
    for (let delivery = left.pop(); delivery !== undefined; delivery = left.pop()) {
      const started = performance.now();
      const answer = await request(`${address}/api/github/webhooks`, {
        method: "POST",
        dispatcher: agent,
        headers: {
          "content-type": "application/json",
          "x-github-event": "issue_comment",
          "x-github-delivery": delivery.guid,
          "x-hub-signature-256": `sha256=${createHmac("sha256", stage.github.webhookSecret).update(delivery.body).digest("hex")}`,
        },
        body: delivery.body,
      });
      await answer.body.dump();
      if (answer.statusCode >= 300) throw new Error(`answered ${answer.statusCode}`);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendSome));
  return (performance.now() - from) / 1000;
}

/** Until nothing is left to handle but the next sweep. */
async function drained(): Promise<void> {
  const counts = () => deliveries().getJobCounts("waiting", "prioritized", "active", "delayed");
  const left = async () => Object.values(await counts()).reduce((sum, count) => sum + count, 0);
  while ((await left()) > 1) await delay(50);
}

function deliveries() {
  const queue = stage.queue.all().find(({ name }) => name === jobs.delivery.queue);
  if (queue === undefined) throw new Error("there is no such queue");
  return queue;
}

/** Jobs of deliveries that were handled so far. */
async function handled(): Promise<number> {
  const { completed = 0, failed = 0 } = await deliveries().getJobCounts("completed", "failed");
  return completed + failed;
}

function percentile(times: number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0;
}

function residentBytes(pid: number): number {
  const [, kib = "0"] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * 1024;
}
