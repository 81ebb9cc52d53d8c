import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { hasRedis } from "../doubles/redis-server.ts";
import {
  addIssues,
  botComments,
  issueOf,
  repository,
  type Stage,
  settled,
  startStage,
  until,
  workScripted,
} from "./support.ts";

const reproduced = () => ({ verdict: "reproduced", reason: "It shows." }) as const;

async function isTold(stage: Stage): Promise<void> {
  await until("it is told", () => issueOf(stage).labels.includes("repro: reproduced"), 60_000);
}

describe.skipIf(!hasRedis)("when GitHub or the process is away (needs redis-server)", { timeout: 90_000 }, () => {
  it.each([
    { what: "500", answer: { status: 500, body: { message: "oops" } } },
    { what: "502 without JSON", answer: { status: 502 } },
    { what: "a broken connection", answer: "reset" },
    { what: "429", answer: { status: 429, headers: { "retry-after": "1" }, body: { message: "slow down" } } },
    {
      what: "the secondary limit",
      answer: {
        status: 403,
        headers: { "retry-after": "1" },
        body: { message: "You have exceeded a secondary rate limit." },
      },
    },
  ] as const)("tells the result once after $what to everything", async ({ answer }) => {
    const stage = await startStage();
    const { runs } = workScripted(stage, reproduced);
    for (const path of [/access_tokens$/, /permission$/, /comments$/, /reactions$/, /comments\/\d+$/, /labels$/]) {
      stage.github.failNext({ path }, answer);
    }

    await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
    await isTold(stage);

    expect(runs).toHaveLength(1);
    expect(botComments(stage)).toEqual([expect.stringContaining("### Reproduced")]);
    expect(stage.github.violations).toEqual([]);
  });

  it.each([403, 404, 410, 422])(
    "gives up what GitHub refuses for good with %i, and says so in its log",
    async (status) => {
      const stage = await startStage();
      workScripted(stage, reproduced);
      const refusal = { status, body: { message: "Resource not accessible by integration" } };
      stage.github.failNext({ method: "POST", path: /issues\/1\/comments$/ }, refusal, 100);

      await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
      await settled(stage);
      await until("it is logged", () => stage.webhook.log.some((line) => line.includes("a job was given up")));

      expect(botComments(stage)).toEqual([]);
    },
  );

  it.each([403, 422])(
    "ends a run whose result GitHub refuses for good with %i, so that another can be asked for",
    async (status) => {
      const stage = await startStage();
      const { runs } = workScripted(stage, reproduced);
      const refusal = { status, body: { message: "Issue is locked" } };
      stage.github.failNext({ method: "PATCH", path: /comments\/\d+$/ }, refusal, 100);
      stage.github.failNext({ method: "POST", path: /labels$/ }, refusal, 100);

      await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
      await until("it has run", () => runs.length === 1);
      await until("nothing is open", async () => (await stage.ledger.openIssues()).length === 0);
      await stage.github.act.comment({ repository, number: 1, body: "/repro", by: "mia" });

      await until("it runs again", () => runs.length === 2);
    },
  );

  it("starts and cancels without the sign of having heard, where GitHub refuses that", async () => {
    const stage = await startStage();
    const { runs } = workScripted(stage, () => new Promise(() => {}));
    stage.github.failNext({ path: /reactions$/ }, { status: 403, body: { message: "no" } }, 100);

    await stage.github.act.comment({ repository, number: 1, body: "/repro", by: "mia" });
    await until("it runs", () => runs.length === 1);
    await stage.github.act.comment({ repository, number: 1, body: "/repro cancel", by: "mia" });

    await until("it is told", () => botComments(stage)[0]?.startsWith("### Cancelled") ?? false);
  });

  it("goes on with a repository that was not to be seen for a moment", async () => {
    const stage = await startStage();
    workScripted(stage, reproduced);
    const away = { status: 404, body: { message: "Not Found" } };
    stage.github.failNext({ method: "GET", path: /^\/repos\/acme\/net$/ }, away, 3);

    await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
    await isTold(stage);

    expect(botComments(stage)).toEqual([expect.stringContaining("### Reproduced")]);
  });

  it("looks after other runs when the record of one cannot be read", async () => {
    const stage = await startStage();
    const redis = stage.redis.connect();
    await redis.set("repgen:issue:9/9", '{"run":{"request":3}}');
    await redis.sadd("repgen:open", "9/9");
    redis.disconnect();

    await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
    await until("it waits", () => botComments(stage).length === 1);
    const keys = await stage.ledger.openIssues();
    const key = keys.find((each) => each !== "9/9") ?? "0/0";
    const runId = (await stage.ledger.recordOf(key)).run?.request.runId ?? "";
    await until("it is taken away", async () => (await stage.queue.remove("reproduce", runId)) === "removed");

    await until("it is told", () => botComments(stage)[0]?.startsWith("### The bot failed") ?? false);
  });

  it("finds deliveries that were missed while the process was down", async () => {
    const stage = await startStage();
    const { runs } = workScripted(stage, reproduced);
    await stage.webhook.kill("SIGKILL");

    await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
    await delay(500);
    expect(runs).toEqual([]);
    await stage.restartWebhook();
    await isTold(stage);
    await delay(2_500);

    expect(runs).toHaveLength(1);
    expect(botComments(stage)).toHaveLength(1);
  });

  it("takes no harm from deliveries in another order, or late", async () => {
    const stage = await startStage();
    const { runs } = workScripted(stage, reproduced);
    await stage.webhook.kill("SIGKILL");
    const { act } = stage.github;
    const guids = [
      await act.label({ repository, number: 1, label: "needs-repro", by: "mia" }),
      await act.comment({ repository, number: 1, body: "/repro cancel", by: "tom" }),
      await act.comment({ repository, number: 1, body: "/repro", by: "ada" }),
    ];
    await stage.restartWebhook();

    for (const { guid } of guids.toReversed()) await stage.github.redeliver(guid);
    await isTold(stage);
    await settled(stage);

    expect(runs.length).toBeGreaterThanOrEqual(1);
    await until("each run has its result", () => {
      const results = botComments(stage).filter((body) => body.startsWith("### Reproduced"));
      return results.length === runs.length;
    });
  });

  it("answers soon, and with a fault, when Redis is away, and finds the delivery later", async () => {
    const stage = await startStage();
    const { runs } = workScripted(stage, reproduced);
    await stage.redis.kill();

    const started = performance.now();
    await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
    expect(performance.now() - started).toBeLessThan(9_000);
    expect(stage.github.state.deliveries.at(-1)?.status_code).toBeGreaterThanOrEqual(500);
    expect((await fetch(`${stage.address}/healthz`)).status).toBe(200);
    expect((await fetch(`${stage.address}/readyz`)).status).toBe(503);
    await stage.redis.start();
    await isTold(stage);

    expect(runs).toHaveLength(1);
  });

  it("tells the end of a run whose job somebody took away", async () => {
    const stage = await startStage();

    await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
    await until("it waits", () => botComments(stage).length === 1);
    const [key = "0/0"] = await stage.ledger.openIssues();
    const request = (await stage.ledger.recordOf(key)).run?.request;
    await until(
      "it is taken away",
      async () => (await stage.queue.remove("reproduce", request?.runId ?? "")) === "removed",
    );
    await until("it is told", () => botComments(stage)[0]?.startsWith("### The bot failed") ?? false);

    expect(botComments(stage)[0]).toContain(request?.runId);
    await until("nothing is open", async () => (await stage.ledger.openIssues()).length === 0);
  });

  it("lets a repository with many runs not keep another's waiting", async () => {
    const stage = await startStage();
    const other = "acme/other";
    const { state, act } = stage.github;
    addIssues(stage, 6);
    const first = state.repositories[repository];
    if (first === undefined) throw new Error("no repository");
    state.repositories[other] = {
      ...structuredClone(first),
      id: first.id + 1,
      issues: structuredClone(first.issues).slice(0, 1),
    };

    for (let number = 1; number <= 6; number++) await act.comment({ repository, number, body: "/repro", by: "mia" });
    await until("they wait", async () => (await stage.queue.waiting("reproduce")) === 6, 60_000);
    await act.comment({ repository: other, number: 1, body: "/repro", by: "mia" });
    await until("all wait", async () => (await stage.queue.waiting("reproduce")) === 7, 60_000);
    const { runs } = workScripted(stage, reproduced);
    await until("all have run", () => runs.length === 7);

    // Of the four that the worker takes at once.
    expect(runs.findIndex(({ home }) => home.repository.fullName === other)).toBeLessThan(4);
  });
});

describe.skipIf(!hasRedis)("what operators see (needs redis-server)", () => {
  it("has health, figures, and the queues behind a password", async () => {
    const stage = await startStage({ env: { REPGEN_BOARD_PASSWORD: "a long password" } });
    const { runs } = workScripted(stage, reproduced);
    await stage.github.act.label({ repository, number: 1, label: "needs-repro", by: "mia" });
    await isTold(stage);
    const get = async (path: string, password?: string) => {
      const authorization = password && {
        authorization: `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`,
      };
      const answer = await fetch(`${stage.address}${path}`, authorization ? { headers: authorization } : {});
      return { status: answer.status, text: await answer.text() };
    };

    expect(runs).toHaveLength(1);
    expect(await get("/healthz")).toEqual({ status: 200, text: "ok\n" });
    expect(await get("/readyz")).toEqual({ status: 200, text: "ready\n" });
    await until("it is counted", async () => (await get("/metrics")).text.includes("repgen_runs_ended_total{"));
    const { text } = await get("/metrics");
    expect(text).toContain('repgen_runs_started_total{trigger="label"} 1');
    expect(text).toContain('repgen_runs_ended_total{verdict="reproduced"} 1');
    expect(text).toContain('repgen_deliveries_total{event="issues",result="queued"} 1');
    expect(text).toContain('repgen_queue_depth{job="reproduce"} 0');
    expect((await get("/queues")).status).toBe(401);
    expect((await get("/queues", "another password")).status).toBe(401);
    expect((await get("/queues", "a long password")).text).toContain("<html");
    expect((await get("/queues/api/queues", "a long password")).text).toContain("reproduce-gpu");
  }, 60_000);
});
