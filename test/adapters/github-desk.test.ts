import { pino } from "pino";
import { Probot, ProbotOctokit } from "probot";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGitHubDesk } from "../../src/adapters/github-desk.ts";
import { ForgeFault } from "../../src/errors.ts";
import type { Desk } from "../../src/ports/desk.ts";
import {
  bot,
  type GitHubServer,
  gitHubComment,
  gitHubIssue,
  gitHubRepository,
  startGitHub,
} from "../doubles/github-server.ts";

const repository = "acme/net";

/** A desk at GitHub with issue 1 of `acme/net`. */
async function sitDown({ timeoutMs }: { timeoutMs?: number } = {}): Promise<{ github: GitHubServer; desk: Desk }> {
  const github = await startGitHub();
  onTestFinished(() => github[Symbol.asyncDispose]());
  github.state.repositories[repository] = gitHubRepository({ issues: [gitHubIssue({ number: 1, user: "rob" })] });
  const Octokit = ProbotOctokit.defaults({ retry: { enabled: false }, throttle: { enabled: false } });
  const probot = new Probot({
    appId: github.appId,
    privateKey: github.privateKey,
    secret: github.webhookSecret,
    baseUrl: github.url,
    log: pino({ level: "silent" }),
    Octokit,
  });
  const app = createGitHubDesk({
    appId: github.appId,
    authenticate: (id) => probot.auth(id ?? undefined),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return { github, desk: app.of(github.installationId) };
}

function issueOf({ state }: GitHubServer) {
  const issue = state.repositories[repository]?.issues[0];
  if (issue === undefined) throw new Error("there is no issue");
  return issue;
}

describe("createGitHubDesk", { timeout: 30_000 }, () => {
  it("gives up a request that GitHub does not answer, as one that may do later", async () => {
    const { github, desk } = await sitDown({ timeoutMs: 500 });
    await desk.idOf(repository);
    const writes: [RegExp, () => Promise<unknown>][] = [
      [/permission$/, () => desk.roleOf(repository, "mia")],
      [/comments$/, () => desk.createComment(repository, 1, "Hello.")],
      [/comments\/7$/, () => desk.editComment(repository, 7, "Hello.")],
      [/reactions$/, () => desk.react(repository, { issue: 1, comment: null }, "eyes")],
      [/labels$/, () => desk.addLabel(repository, 1, { name: "a", color: "ededed", description: "" })],
      [/contents/, () => desk.readFile(repository, ".github/repgen.yml")],
    ];

    for (const [path, ask] of writes) {
      github.failNext({ path }, "hang");
      const fault = await ask().catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(ForgeFault);
      expect(fault).toMatchObject({ retryable: true, status: null });
    }
  });

  it("does not try again what GitHub refuses as wrong", async () => {
    const { github, desk } = await sitDown();
    const refusal = { status: 422, body: { message: "Validation Failed" } };
    const writes: [RegExp, () => Promise<unknown>][] = [
      [/comments$/, () => desk.createComment(repository, 1, "Hello.")],
      [/comments\/7$/, () => desk.editComment(repository, 7, "Hello.")],
      [/reactions$/, () => desk.react(repository, { issue: 1, comment: null }, "eyes")],
      [/issues\/1\/labels$/, () => desk.addLabel(repository, 1, { name: "a", color: "ededed", description: "" })],
      [/labels\/a$/, () => desk.removeLabel(repository, 1, "a")],
      [/comments\/7$/, () => desk.deleteComment(repository, 7)],
    ];

    for (const [path, ask] of writes) {
      github.failNext({ path }, refusal);
      await expect(ask()).rejects.toMatchObject({ retryable: false, status: 422 });
    }
  });

  it("reads the latest of very many comments, and tells the App's own from others", async () => {
    const { github, desk } = await sitDown();
    issueOf(github).comments = Array.from({ length: 1_250 }, (_, at) =>
      gitHubComment({ body: `comment ${at}`, user: at === 1_249 ? bot : "eve" }),
    );

    const comments = await desk.commentsOf(repository, 1);

    expect(comments.length).toBeGreaterThanOrEqual(950);
    expect(comments.at(-1)).toMatchObject({ body: "comment 1249", isOwn: true });
    expect(comments.at(-2)).toMatchObject({ body: "comment 1248", isOwn: false });
    expect(comments.filter(({ isOwn }) => isOwn)).toHaveLength(1);
    expect(new Set(comments.map(({ id }) => id)).size).toBe(comments.length);
    expect(github.violations).toEqual([]);
  });

  it("reads only comments since a time where it is asked to", async () => {
    const { github, desk } = await sitDown();
    const at = (second: number) => `2026-01-01T00:00:0${second}Z`;
    issueOf(github).comments = [1, 2, 3].map((second) =>
      gitHubComment({ body: `${second}`, user: "eve", created_at: at(second), updated_at: at(second) }),
    );

    const comments = await desk.commentsOf(repository, 1, new Date(at(2)));

    expect(comments.map(({ body }) => body)).toEqual(["2", "3"]);
  });

  it("tells a comment that was deleted from a repository that is not to be seen", async () => {
    const { github, desk } = await sitDown();
    const { id } = await desk.createComment(repository, 1, "Hello.");
    const away = { status: 404, body: { message: "Not Found" } };
    github.failNext({ path: /^\/repos\/acme\/net($|\/issues\/comments)/ }, away, 3);

    await expect(desk.editComment(repository, id, "Bye.")).rejects.toMatchObject({ status: 404, retryable: true });
    expect(await desk.editComment(repository, id, "Bye.")).toMatchObject({ url: expect.any(String) });
    await desk.deleteComment(repository, id);

    expect(await desk.editComment(repository, id, "Again.")).toBe("gone");
  });

  it("deletes a comment, and minds none that is gone", async () => {
    const { github, desk } = await sitDown();
    const { id } = await desk.createComment(repository, 1, "Hello.");

    await desk.deleteComment(repository, id);
    await desk.deleteComment(repository, id);

    expect(issueOf(github).comments).toEqual([]);
    expect(github.violations).toEqual([]);
  });

  it("tells a file that is not there from one that is too long to be given", async () => {
    const { github, desk } = await sitDown();
    const files = { "short.yml": "runs: 3\n", "long.yml": "#".repeat(1_100_000) };
    Object.assign(github.state.repositories[repository] ?? {}, { files });

    expect(await desk.readFile(repository, "short.yml")).toMatchObject({ text: "runs: 3\n" });
    expect(await desk.readFile(repository, "long.yml")).toMatchObject({ text: null });
    expect(await desk.readFile(repository, "none.yml")).toBeNull();
  });
});
