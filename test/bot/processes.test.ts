import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDockerSandbox } from "../../src/adapters/docker-sandbox.ts";
import { parseIssueFile } from "../../src/issue/issue-file.ts";
import { startGitServer } from "../doubles/git-server.ts";
import { type ModelServer, startModelServer } from "../doubles/model-server.ts";
import { hasRedis } from "../doubles/redis-server.ts";
import { hasBubblewrap } from "../environment/support.ts";
import { buildRepository } from "../fixtures/build-repository.ts";
import { botComments, issueOf, repository, type Stage, startStage, until } from "./support.ts";

const hasDocker = (await createDockerSandbox().catch(() => null)) !== null;
const bugs = join(import.meta.dirname, "..", "fixtures", "bugs");
/** One run, an empty package cache included. */
const PATIENCE_MS = 300_000;

/** The stage with a bug of the fixtures: its repository behind TLS as git serves it, its report as issue 1. */
async function startStageOf(
  bug: string,
  {
    env = {},
    model,
    lets,
  }: { env?: Record<string, string>; model?: ModelServer; lets?: (user: string, password: string) => boolean } = {},
) {
  const scratch = await mkdtemp(join(tmpdir(), "repgen-processes-"));
  onTestFinished(() => rm(scratch, { recursive: true, force: true }));
  const built = await buildRepository(bug, scratch);
  const [owner = "", name = ""] = repository.split("/");
  await mkdir(join(scratch, owner));
  await rename(built.path, join(scratch, owner, `${name}.git`));
  const git = await startGitServer({
    root: scratch,
    scratch,
    ...(lets === undefined ? {} : { lets }),
  });
  onTestFinished(() => git[Symbol.asyncDispose]());
  const endpoint: Record<string, string> =
    model === undefined ? {} : { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "key of the model" };
  const stage = await startStage({
    env: { GITHUB_SERVER_URL: git.url, GIT_SSL_CAINFO: git.certificate, REPGEN_MAX_ATTEMPTS: "3", ...endpoint, ...env },
  });
  const file = join(bugs, bug, "issue.md");
  const { title, body } = parseIssueFile(readFileSync(file), file);
  Object.assign(issueOf(stage), { title, body });
  return { stage, git, buggy: built.buggy };
}

async function ask({ github }: Stage, buggy: string): Promise<void> {
  await github.act.comment({ repository, number: 1, body: `/repro --ref ${buggy} --runs 2`, by: "mia" });
}

function isTold(stage: Stage): boolean {
  return botComments(stage).some((body) => /^### (?!Reproducing)/.test(body));
}

describe.skipIf(!hasRedis || !hasDocker)(
  "label to comment with a real bug (needs redis-server and a Docker engine with the sandbox image)",
  { timeout: PATIENCE_MS },
  () => {
    it("reproduces it in the Docker sandbox and tells it on the issue", async () => {
      const { stage, buggy } = await startStageOf("cross-shape", { env: { REPGEN_SANDBOX: "docker" } });
      await stage.startWorker();

      await ask(stage, buggy);
      await until("it is told", () => isTold(stage), PATIENCE_MS);
      await until("labels follow", () => issueOf(stage).labels.includes("repro: reproduced"));

      const [comment = ""] = botComments(stage);
      expect(botComments(stage)).toHaveLength(1);
      expect(comment).toMatch(/^### Reproduced on /);
      expect(comment).toContain("Docker");
      expect(comment).toContain("```python");
      const edits = stage.github.requests.filter(
        ({ method, path }) => method === "PATCH" && path.includes("/comments/"),
      );
      expect(edits.length).toBeGreaterThan(1);
      expect(stage.github.violations).toEqual([]);
    });
  },
);

/** Kills the worker at each of the stages, the moment that it says it is there, and puts another in its place. */
async function killAt(stage: Stage, stages: readonly string[]): Promise<void> {
  const connection = stage.redis.connect();
  onTestFinished(() => connection.disconnect());
  const monitor = await connection.monitor();
  onTestFinished(() => monitor.disconnect());
  for (const name of stages) {
    const reached = Promise.withResolvers<void>();
    const look = (_time: string, [command = "", key = "", value = ""]: string[]) => {
      if (command.toLowerCase() !== "set" || !key.includes(":progress:")) return;
      // MONITOR escapes what isn't ASCII in ways JSON does not know: the line is searched, not parsed.
      const running = [...value.matchAll(/"name":"([^"]+)","state":"running"/g)].at(-1);
      if (running?.[1] === name) reached.resolve();
    };
    monitor.on("monitor", look);
    const worker = await stage.startWorker();
    await reached.promise;
    await worker.kill("SIGKILL");
    monitor.off("monitor", look);
  }
  await stage.startWorker();
}

async function runOf({ ledger, github }: Stage): Promise<string> {
  const id = github.state.repositories[repository]?.id ?? 0;
  return (await ledger.recordOf(`${id}/1`)).run?.request.runId ?? "";
}

async function running({ ledger }: Stage, runId: string): Promise<string | undefined> {
  return (await ledger.progressOf(runId))?.stages.findLast(({ state }) => state === "running")?.name;
}

describe.skipIf(!hasRedis || !hasBubblewrap)(
  "a run whose processes die (needs redis-server and bubblewrap)",
  { timeout: PATIENCE_MS },
  () => {
    const env = { REPGEN_SANDBOX: "bubblewrap" };

    it.each([
      { stages: ["restructure", "reporter's code", "confirm"] },
      { stages: ["prepare repository", "contrast", "minimise"] },
      { stages: ["index", "retrieve", "prepare environment"] },
    ])("ends with one comment when its worker is killed at $stages", async ({ stages }) => {
      const { stage, buggy } = await startStageOf("cross-shape", { env });

      await ask(stage, buggy);
      await until("it waits", async () => (await runOf(stage)) !== "");
      await killAt(stage, stages);
      await until("it is told", () => isTold(stage), PATIENCE_MS);

      expect(botComments(stage)).toHaveLength(1);
      expect(botComments(stage)[0]).toMatch(/^### Reproduced on /);
    });

    it("pays for no reply of the model twice when its worker is killed while one is waited for", async () => {
      await using model = await startModelServer(join(bugs, "never-zeroed-gradients", "replies.buggy.json"));
      const { stage, buggy } = await startStageOf("never-zeroed-gradients", { env, model });
      const killed = new Set<string>();
      let worker = await stage.startWorker();
      let restarted = Promise.resolve();
      model.beforeAnswer = async (name) => {
        if (killed.has(name) || name === "contrast") return;
        killed.add(name);
        await worker.kill("SIGKILL");
        restarted = stage.startWorker().then((next) => {
          worker = next;
        });
        throw new Error("whoever asked is gone");
      };

      await ask(stage, buggy);
      await until("it is told", () => isTold(stage), PATIENCE_MS);
      await restarted;

      expect([...killed]).toEqual(["restructure", "plan", "generate"]);
      expect(model.answered).toEqual(["restructure", "plan", "generate", "contrast"]);
      expect(botComments(stage)).toHaveLength(1);
      expect(botComments(stage)[0]).toMatch(/^### Reproduced on /);
    });

    it("goes on when the process that answers GitHub is killed again and again", async () => {
      const { stage, buggy } = await startStageOf("cross-shape", { env });
      await stage.startWorker();

      await ask(stage, buggy);
      for (let kills = 0; kills < 4; kills++) {
        await stage.webhook.kill("SIGKILL");
        await stage.restartWebhook();
        await delay(1_500);
      }
      await until("it is told", () => isTold(stage), PATIENCE_MS);

      expect(botComments(stage)).toHaveLength(1);
      expect(botComments(stage)[0]).toMatch(/^### Reproduced on /);
    });

    it("goes on when Redis is away for ten seconds", async () => {
      const { stage, buggy } = await startStageOf("cross-shape", { env });
      await stage.startWorker();

      await ask(stage, buggy);
      await until("it runs", async () => (await running(stage, await runOf(stage))) === "confirm", PATIENCE_MS);
      await stage.redis.kill();
      await delay(10_000);
      await stage.redis.start();
      await until("it is told", () => isTold(stage), PATIENCE_MS);

      expect(botComments(stage)).toHaveLength(1);
      expect(botComments(stage)[0]).toMatch(/^### Reproduced on /);
    });

    it("hands a run over when its worker is stopped, and says that it was cancelled only when somebody cancels it", async () => {
      const { stage, buggy } = await startStageOf("cross-shape", { env });
      const first = await stage.startWorker();

      await ask(stage, buggy);
      await until("it runs", async () => (await running(stage, await runOf(stage))) === "confirm", PATIENCE_MS);
      await first.kill("SIGTERM");
      await delay(1_000);
      expect(isTold(stage)).toBe(false);
      await stage.startWorker();
      await until("it is told", () => isTold(stage), PATIENCE_MS);

      expect(botComments(stage)[0]).toMatch(/^### Reproduced on /);
    });

    it("cancels within seconds what runs in the sandbox", async () => {
      const { stage, buggy } = await startStageOf("cross-shape", { env });
      await stage.startWorker();

      await ask(stage, buggy);
      await until("it runs", async () => (await running(stage, await runOf(stage))) === "minimise", PATIENCE_MS);
      await stage.github.act.comment({ repository, number: 1, body: "/repro cancel", by: "mia" });
      await until("it is told", () => botComments(stage)[0]?.startsWith("### Cancelled") ?? false, 15_000);

      expect(botComments(stage)).toHaveLength(1);
    });

    it("holds a run back whose tokens others have used up since, says until when, and lets it be cancelled", async () => {
      const { stage, buggy } = await startStageOf("cross-shape", { env: { ...env, REPGEN_DAILY: "tokens=1000" } });
      await ask(stage, buggy);
      await until("it waits", () => botComments(stage).length === 1);
      const today = new Date().toISOString().slice(0, 10);
      await stage.ledger.spend("everything", today, { runs: 0, tokens: 1_000, gpuSeconds: 0 });

      await stage.startWorker();
      await until("it says why", () => /the tokens of the bot for today are used up/.test(botComments(stage)[0] ?? ""));
      expect(botComments(stage)[0]).toMatch(/It begins after \d{4}-\d\d-\d\d 00:00 UTC/);
      await stage.github.act.comment({ repository, number: 1, body: "/repro cancel", by: "mia" });
      await until("it is told", () => botComments(stage)[0]?.startsWith("### Cancelled") ?? false, 15_000);

      expect(botComments(stage)).toHaveLength(1);
    });

    it("clones a private repository with a token that is in no queue, log or comment", async () => {
      let tokens: Record<string, unknown> = {};
      const lets = (user: string, password: string) => user === "x-access-token" && password in tokens;
      const { stage, buggy } = await startStageOf("cross-shape", { env, lets });
      tokens = stage.github.state.tokens;
      Object.assign(stage.github.state.repositories[repository] ?? {}, { private: true });
      const worker = await stage.startWorker();

      await ask(stage, buggy);
      await until("it is told", () => isTold(stage), PATIENCE_MS);

      expect(botComments(stage)[0]).toMatch(/^### Reproduced on /);
      const redis = stage.redis.connect();
      const dump: string[] = [];
      for (const key of await redis.keys("*")) dump.push(await dumpOf(redis, key));
      redis.disconnect();
      const written = [...dump, ...worker.log, ...stage.webhook.log, ...botComments(stage)].join("\n");
      expect(dump.length).toBeGreaterThan(10);
      expect(Object.keys(stage.github.state.tokens).filter((each) => written.includes(each))).toEqual([]);
      const read = Object.values(stage.github.state.tokens).filter(
        ({ permissions }) => permissions.issues === undefined,
      );
      expect(read).toMatchObject([{ repositories: [repository], permissions: { contents: "read" } }]);
    });
  },
);

async function dumpOf(redis: ReturnType<Stage["redis"]["connect"]>, key: string): Promise<string> {
  switch (await redis.type(key)) {
    case "string":
      return (await redis.get(key)) ?? "";
    case "hash":
      return JSON.stringify(await redis.hgetall(key));
    case "list":
      return JSON.stringify(await redis.lrange(key, 0, -1));
    case "set":
      return JSON.stringify(await redis.smembers(key));
    case "zset":
      return JSON.stringify(await redis.zrange(key, "0", "-1"));
    default:
      return JSON.stringify(await redis.xrange(key, "-", "+"));
  }
}
