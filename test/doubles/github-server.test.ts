import { createHmac, createPrivateKey, sign } from "node:crypto";
import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import { Probot, ProbotOctokit } from "probot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GitHubServer, gitHubComment, gitHubIssue, gitHubRepository, startGitHub } from "./github-server.ts";
import { startServer, type TestServer } from "./http-server.ts";

const bot = "repgen-bot[bot]";
const where = { owner: "acme", repo: "net" };
const at = { ...where, issue_number: 7 };

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let github: GitHubServer;

beforeEach(async () => {
  github = await startGitHub();
  github.state.repositories["acme/net"] = gitHubRepository({
    files: { "src/a b.py": "print('é')\n", ".github/repgen.yml": "enabled: true\n" },
    labels: [{ name: "needs repro", color: "d73a4a", description: "Reproduce it" }],
    collaborators: { mary: "maintain", tom: "triage" },
    issues: [gitHubIssue({ number: 7, user: "rita", title: "Net fails", body: "It fails." })],
  });
});

afterEach(async () => {
  await github[Symbol.asyncDispose]();
});

function asApp(): Octokit {
  const { url, appId, privateKey } = github;
  return new Octokit({ baseUrl: url, log: silent, authStrategy: createAppAuth, auth: { appId, privateKey } });
}

function asInstallation(): Octokit {
  const { url, appId, privateKey, installationId } = github;
  return new Octokit({
    baseUrl: url,
    log: silent,
    authStrategy: createAppAuth,
    auth: { appId, privateKey, installationId },
  });
}

async function withToken(asked: { repositories?: string[]; permissions?: Record<string, string> }): Promise<Octokit> {
  const { installationId, url } = github;
  const { data } = await asApp().rest.apps.createInstallationAccessToken({ installation_id: installationId, ...asked });
  return new Octokit({ baseUrl: url, log: silent, auth: data.token });
}

/** Status of the refusal; that of the answer where there is none. */
async function statusOf(call: Promise<{ status: number }>): Promise<number> {
  return call.then(
    ({ status }) => status,
    (error) => error.status,
  );
}

function repository() {
  const found = github.state.repositories["acme/net"];
  if (found === undefined) throw new Error("acme/net is gone");
  return found;
}

function issue() {
  const found = repository().issues[0];
  if (found === undefined) throw new Error("issue 7 is gone");
  return found;
}

function jwt(claims: Record<string, unknown>): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
  return `${text}.${sign("RSA-SHA256", Buffer.from(text), createPrivateKey(github.privateKey)).toString("base64url")}`;
}

describe("startGitHub: the App", () => {
  it("says who the App is and where it is installed", async () => {
    const app = asApp();

    const { data } = await app.rest.apps.getAuthenticated();
    const installations = await app.rest.apps.listInstallations();
    const installation = await app.rest.apps.getRepoInstallation(where);

    expect(data).toMatchObject({ id: github.appId, slug: "repgen-bot", owner: { login: "acme" } });
    expect(installations.data.map(({ id }) => id)).toEqual([github.installationId]);
    expect(installation.data).toMatchObject({ id: github.installationId, account: { login: "acme" } });
    expect(await statusOf(app.rest.apps.getRepoInstallation({ ...where, repo: "other" }))).toBe(404);
    expect(github.violations).toEqual([]);
  });

  it("refuses JWTs that are late, of another App, too long-lived or signed with another key", async () => {
    const now = Math.floor(Date.now() / 1000);
    const good = { iat: now - 10, exp: now + 300, iss: github.appId };
    const status = (token: string) =>
      fetch(`${github.url}/app`, { headers: { authorization: `Bearer ${token}` } }).then((answer) => answer.status);

    expect(await status(jwt(good))).toBe(200);
    expect(await status(jwt({ ...good, exp: now - 1 }))).toBe(401);
    expect(await status(jwt({ ...good, exp: now + 3600 }))).toBe(401);
    expect(await status(jwt({ ...good, iss: 1 }))).toBe(401);
    expect(await status(`${jwt(good).slice(0, -8)}AAAAAAAA`)).toBe(401);
    expect(await status("a.b.c")).toBe(401);
    expect(github.violations).toEqual([]);
  });

  it("gives tokens that reach the repositories and permissions asked for", async () => {
    github.state.repositories["acme/secret"] = gitHubRepository({ private: true });
    const narrow = await withToken({ repositories: ["net"], permissions: { contents: "read" } });
    const byId = await asApp().rest.apps.createInstallationAccessToken({
      installation_id: github.installationId,
      repository_ids: [repository().id],
    });

    expect(byId.data).toMatchObject({ repository_selection: "selected", repositories: [{ full_name: "acme/net" }] });
    expect(await statusOf(narrow.rest.repos.get(where))).toBe(200);
    expect(await statusOf(narrow.rest.repos.get({ ...where, repo: "secret" }))).toBe(404);
    expect(await statusOf(narrow.rest.issues.createComment({ ...at, body: "Hello" }))).toBe(403);
    expect(await statusOf(withToken({ repositories: ["none"] }).then((one) => one.rest.repos.get(where)))).toBe(422);
    expect(await statusOf(withToken({ permissions: { contents: "write" } }).then(() => ({ status: 201 })))).toBe(422);
    expect(github.violations).toEqual([]);
  });

  it("refuses tokens that are unknown or expired, and writes without one", async () => {
    const client = await withToken({});
    for (const token of Object.values(github.state.tokens)) token.expires_at = "2020-01-01T00:00:00Z";
    const nobody = new Octokit({ log: silent, baseUrl: github.url });

    expect(await statusOf(client.rest.issues.get(at))).toBe(401);
    expect(await statusOf(new Octokit({ log: silent, baseUrl: github.url, auth: "ghs_no" }).rest.issues.get(at))).toBe(
      401,
    );
    expect(await statusOf(nobody.rest.issues.createComment({ ...at, body: "Hello" }))).toBe(401);
    expect(await statusOf(nobody.rest.issues.get(at))).toBe(200);
    repository().private = true;
    expect(await statusOf(nobody.rest.issues.get(at))).toBe(404);
    github.state.installation.suspended_at = "2024-01-01T00:00:00Z";
    expect(await statusOf(withToken({}).then((one) => one.rest.issues.get(at)))).toBe(403);
    expect(github.violations).toEqual([]);
  });
});

describe("startGitHub: repositories", () => {
  it("shows a repository whatever the case of its name", async () => {
    const { data } = await asInstallation().rest.repos.get({ owner: "Acme", repo: "NET" });

    expect(data).toMatchObject({ full_name: "acme/net", default_branch: "main", private: false });
    expect(data.clone_url).toBe("https://github.com/acme/net.git");
    expect(JSON.stringify(data)).not.toMatch(/octocat|api\.github\.com/i);
    expect(github.violations).toEqual([]);
  });

  it("shows files as base64 and raw, and answers 304 for one that is known", async () => {
    const { rest } = asInstallation();

    const file = await rest.repos.getContent({ ...where, path: "src/a b.py" });
    const raw = await rest.repos.getContent({ ...where, path: "src/a b.py", mediaType: { format: "raw" } });
    const { etag = "" } = file.headers;
    const known = rest.repos.getContent({ ...where, path: "src/a b.py", headers: { "if-none-match": etag } });

    const data = file.data as { content: string; sha: string };
    expect(Buffer.from(data.content, "base64").toString()).toBe("print('é')\n");
    expect(data.sha).toMatch(/^[0-9a-f]{40}$/);
    expect(raw.data).toBe("print('é')\n");
    expect(await statusOf(known)).toBe(304);
    expect(await statusOf(rest.repos.getContent({ ...where, path: "absent.py" }))).toBe(404);
    expect(await statusOf(rest.repos.getContent({ ...where, path: "src/a b.py", ref: "gone" }))).toBe(404);
    expect(github.violations).toEqual([]);
  });

  it("tells the older words of permissions from the roles", async () => {
    github.state.users.stan = { id: 5, type: "User" };
    github.state.users.mary = { id: 6, type: "User" };
    github.state.users.tom = { id: 7, type: "User" };
    const { rest } = asInstallation();
    const permission = async (username: string) => {
      const { data } = await rest.repos.getCollaboratorPermissionLevel({ ...where, username });
      return [data.permission, data.role_name];
    };

    expect(await permission("mary")).toEqual(["write", "maintain"]);
    expect(await permission("Tom")).toEqual(["read", "triage"]);
    expect(await permission("acme")).toEqual(["admin", "admin"]);
    expect(await permission("stan")).toEqual(["read", "read"]);
    repository().private = true;
    expect(await permission("stan")).toEqual(["none", "none"]);
    expect(await statusOf(rest.repos.getCollaboratorPermissionLevel({ ...where, username: "ghost" }))).toBe(404);
    expect(github.violations).toEqual([]);
  });

  it("lists, shows and creates labels", async () => {
    const { rest } = asInstallation();

    const created = await rest.issues.createLabel({ ...where, name: "repro: yes", color: "0e8a16", description: "d" });
    const shown = await rest.issues.getLabel({ ...where, name: "NEEDS repro" });
    const listed = await rest.issues.listLabelsForRepo(where);

    expect(created).toMatchObject({ status: 201, data: { name: "repro: yes", color: "0e8a16" } });
    expect(shown.data).toMatchObject({ name: "needs repro", description: "Reproduce it" });
    expect(listed.data.map(({ name }) => name)).toEqual(["needs repro", "repro: yes"]);
    expect(await statusOf(rest.issues.createLabel({ ...where, name: "Needs repro" }))).toBe(422);
    expect(await statusOf(rest.issues.getLabel({ ...where, name: "absent" }))).toBe(404);
    expect(github.violations).toEqual([]);
  });
});

describe("startGitHub: issues", () => {
  it("shows issues, closed ones and pull requests", async () => {
    const { rest } = asInstallation();
    repository().issues.push(gitHubIssue({ number: 8, user: "rita", pull_request: true }));

    const open = await rest.issues.get(at);
    await github.act.closeIssue({ repository: "acme/net", number: 7, by: "mary" });
    const closed = await rest.issues.get(at);
    const pull = await rest.issues.get({ ...at, issue_number: 8 });

    expect(open.data).toMatchObject({ title: "Net fails", body: "It fails.", state: "open", user: { login: "rita" } });
    expect(closed.data).toMatchObject({ state: "closed", closed_by: { login: "mary" } });
    expect(pull.data.pull_request).toBeDefined();
    expect(await statusOf(rest.issues.get({ ...at, issue_number: 9 }))).toBe(404);
    expect(github.violations).toEqual([]);
  });

  it("creates, shows, edits and deletes comments of the App", async () => {
    const { rest } = asInstallation();

    const { data } = await rest.issues.createComment({ ...at, body: "One" });
    const of = { ...where, comment_id: data.id };
    const edited = await rest.issues.updateComment({ ...of, body: "Two" });
    const shown = await rest.issues.getComment(of);
    const deleted = await rest.issues.deleteComment(of);

    expect(data).toMatchObject({ user: { login: bot, type: "Bot" }, performed_via_github_app: { id: github.appId } });
    expect(edited.data.body).toBe("Two");
    expect(shown.data).toEqual(edited.data);
    expect(deleted.status).toBe(204);
    expect(await statusOf(rest.issues.getComment(of))).toBe(404);
    expect(await statusOf(rest.issues.updateComment({ ...of, body: "Three" }))).toBe(404);
    expect(await statusOf(rest.issues.deleteComment(of))).toBe(404);
    expect(github.violations).toEqual([]);
  });

  it("pages through comments, and lists those since a time", async () => {
    const { rest, paginate } = asInstallation();
    for (let number = 1; number <= 5; number += 1) {
      const day = `2024-01-0${number}T00:00:00Z`;
      issue().comments.push(gitHubComment({ body: `${number}`, user: "rita", created_at: day, updated_at: day }));
    }

    const all = await paginate(rest.issues.listComments, { ...at, per_page: 2 });
    const middle = await rest.issues.listComments({ ...at, per_page: 2, page: 2 });
    const recent = await rest.issues.listComments({ ...at, since: "2024-01-04T00:00:00Z" });

    expect(all.map(({ body }) => body)).toEqual(["1", "2", "3", "4", "5"]);
    expect(middle.headers.link).toMatch(/page=1>; rel="prev".*page=3>; rel="next".*page=3>; rel="last"/);
    expect(recent.data.map(({ body }) => body)).toEqual(["4", "5"]);
    expect(github.violations).toEqual([]);
  });

  it("keeps one reaction of a kind", async () => {
    const { rest } = asInstallation();
    const comment = gitHubComment({ body: "/repro", user: "mary" });
    issue().comments.push(comment);
    const of = { ...where, comment_id: comment.id };

    const first = await rest.reactions.createForIssue({ ...at, content: "eyes" });
    const again = await rest.reactions.createForIssue({ ...at, content: "eyes" });
    const onComment = await rest.reactions.createForIssueComment({ ...of, content: "+1" });

    expect([first.status, again.status, onComment.status]).toEqual([201, 200, 201]);
    expect(again.data.id).toBe(first.data.id);
    expect(issue().reactions).toEqual([{ content: "eyes", user: bot }]);
    expect(comment.reactions).toEqual([{ content: "+1", user: bot }]);
    expect(github.violations).toEqual([]);
  });

  it("adds and removes labels, and tells of what changed only", async () => {
    const { rest } = asInstallation();

    await rest.issues.addLabels({ ...at, labels: ["needs repro", "new"] });
    const added = await rest.issues.addLabels({ ...at, labels: ["new"] });
    const removed = await rest.issues.removeLabel({ ...at, name: "needs repro" });
    const listed = await rest.issues.listLabelsOnIssue(at);
    const absent = rest.issues.removeLabel({ ...at, name: "needs repro" });

    expect(added.data.map(({ name }) => name)).toEqual(["needs repro", "new"]);
    expect(removed.data.map(({ name }) => name)).toEqual(["new"]);
    expect(listed.data).toEqual(removed.data);
    expect(await statusOf(absent)).toBe(404);
    await github.settled();
    expect(github.state.deliveries.map(({ action }) => action)).toEqual(["labeled", "labeled", "unlabeled"]);
    expect(github.state.deliveries[0]?.request.payload.sender).toMatchObject({ login: bot, type: "Bot" });
    expect(github.violations).toEqual([]);
  });
});

describe("startGitHub: webhooks", () => {
  let app: TestServer;
  let status = 200;
  const heads: Record<string, unknown>[] = [];

  beforeEach(async () => {
    status = 200;
    heads.length = 0;
    app = await startServer((response, _, request) => {
      heads.push(request.headers);
      response.writeHead(status).end("ok");
    });
    github.webhookUrl = app.url;
  });

  afterEach(async () => {
    await app[Symbol.asyncDispose]();
  });

  it("delivers what people do, signed, with the state's values in real payloads", async () => {
    const on = { repository: "acme/net", number: 7, by: "mary" };

    const { guid } = await github.act.label({ ...on, label: "needs repro" });

    const [body = ""] = app.bodies;
    const signature = createHmac("sha256", github.webhookSecret).update(body).digest("hex");
    expect(heads[0]).toMatchObject({
      "x-github-event": "issues",
      "x-github-delivery": guid,
      "x-hub-signature-256": `sha256=${signature}`,
      "content-type": "application/json",
    });
    expect(JSON.parse(body)).toMatchObject({
      action: "labeled",
      label: { name: "needs repro", color: "d73a4a" },
      issue: { number: 7, title: "Net fails", labels: [{ name: "needs repro" }], milestone: null },
      repository: { full_name: "acme/net", owner: { login: "acme" } },
      sender: { login: "mary", type: "User" },
      installation: { id: github.installationId },
    });
    expect(body).not.toContain("Codertocat");
    expect(github.state.deliveries).toMatchObject([{ guid, status: "OK", status_code: 200, action: "labeled" }]);
    expect(github.violations).toEqual([]);
  });

  it("tells of each act", async () => {
    const { act } = github;
    const opened = await act.openIssue({ repository: "acme/net", title: "New", labels: ["needs repro"], by: "rita" });
    const on = { repository: "acme/net", number: opened.number, by: "mary" };

    await act.unlabel({ ...on, label: "needs repro" });
    const { id } = await act.comment({ ...on, body: "/repro" });
    await act.editComment({ ...on, id, body: "/repro again" });
    await act.deleteComment({ ...on, id });
    await act.editIssue({ ...on, title: "Newer" });
    await act.closeIssue(on);

    const told = app.bodies.map((body) => JSON.parse(body));
    expect(told.map(({ action, comment }) => [action, comment?.body])).toEqual([
      ["opened", undefined],
      ["labeled", undefined],
      ["unlabeled", undefined],
      ["created", "/repro"],
      ["edited", "/repro again"],
      ["deleted", "/repro again"],
      ["edited", undefined],
      ["closed", undefined],
    ]);
    expect(app.bodies.join()).not.toMatch(/Codertocat|api\.github\.com/);
    expect(told[4].changes).toEqual({ body: { from: "/repro" } });
    expect(told[6].changes).toEqual({ title: { from: "New" } });
    await expect(act.label({ ...on, number: 99, label: "bug" })).rejects.toThrow("no issue acme/net#99");
    expect(github.violations).toEqual([]);
  });

  it("keeps what was missed, for a sweep to find and to have sent again", async () => {
    const { rest } = asApp();
    const on = { repository: "acme/net", number: 7, by: "mary" };
    github.webhookUrl = null;
    const missed = await github.act.comment({ ...on, body: "/repro" });
    github.webhookUrl = app.url;
    status = 503;
    const refused = await github.act.comment({ ...on, body: "/repro cancel" });
    status = 200;

    const first = await rest.apps.listWebhookDeliveries({ per_page: 1 });
    const cursor = /cursor=(\w+)/.exec(first.headers.link ?? "")?.[1];
    const second = await rest.apps.listWebhookDeliveries({ per_page: 1, cursor });
    const [late] = second.data;
    const shown = await rest.apps.getWebhookDelivery({ delivery_id: late?.id ?? 0 });
    const again = await rest.apps.redeliverWebhookDelivery({ delivery_id: late?.id ?? 0 });
    await github.settled();
    const answer = await github.redeliver(refused.guid);

    expect(first.data).toMatchObject([{ guid: refused.guid, status_code: 503 }]);
    expect(second.data).toMatchObject([{ guid: missed.guid, status_code: 0, status: "failed to connect to host" }]);
    expect(second.headers.link).toBeUndefined();
    expect(shown.data.request.payload).toMatchObject({ action: "created", comment: { body: "/repro" } });
    expect([again.status, answer.status]).toEqual([202, 200]);
    expect(heads.map((head) => head["x-github-delivery"])).toEqual([refused.guid, missed.guid, refused.guid]);
    expect(app.bodies[2]).toBe(app.bodies[0]);
    expect(github.state.deliveries.map(({ redelivery }) => redelivery)).toEqual([false, false, true, true]);
    expect(github.violations).toEqual([]);
  });
});

describe("startGitHub: wrong requests and faults", () => {
  it("finds what the description does not allow", async () => {
    const client = asInstallation();
    const { rest } = client;
    const labels = 3 as unknown as string[];

    expect(await statusOf(rest.issues.addLabels({ ...at, labels }))).toBe(422);
    expect(await statusOf(client.request("POST /repos/acme/net/issues/7/comments", { text: "Hello" }))).toBe(422);
    expect(await statusOf(client.request("POST /repos/acme/net/issues/7/comments"))).toBe(422);
    expect(await statusOf(client.request("GET /repos/acme/net/issues/seven"))).toBe(422);
    expect(await statusOf(client.request("GET /repos/acme/net/issues/7?perpage=3"))).toBe(422);
    expect(await statusOf(client.request("GET /repos/acme/net/isues/7"))).toBe(404);
    expect(await statusOf(rest.issues.createComment({ ...at, body: "x".repeat(65_537) }))).toBe(422);
    expect(await statusOf(rest.issues.createLabel({ ...where, name: "l", color: "#ff0000" }))).toBe(422);
    expect(await statusOf(rest.reactions.createForIssue({ ...at, content: "tada" as "eyes" }))).toBe(422);

    expect(github.violations).toEqual([
      "POST /repos/acme/net/issues/7/labels: body/labels must be array",
      expect.stringContaining("body must match exactly one"),
      "POST /repos/acme/net/issues/7/comments: body/text is not known",
      "POST /repos/acme/net/issues/7/comments: body must have required property 'body'",
      "POST /repos/acme/net/issues/7/comments: the body is missing",
      "GET /repos/acme/net/issues/seven: issue_number must be integer",
      "GET /repos/acme/net/issues/7: query parameter perpage is not known",
      "GET /repos/acme/net/isues/7: no operation takes this",
      "POST /repos/acme/net/issues/7/comments: Body is too long (maximum is 65536 characters)",
      "POST /repos/acme/net/labels: color #ff0000 has not six hexadecimal digits",
      "POST /repos/acme/net/issues/7/reactions: body/content must be equal to one of the allowed values",
    ]);
    expect(issue().comments).toEqual([]);
  });

  it("finds answers that do not fit, which a wrong state makes", async () => {
    issue().created_at = "yesterday";

    await asInstallation().rest.issues.get(at);
    await github.act.label({ repository: "acme/net", number: 7, label: "new", by: "mary" });

    const problem = '/created_at must match format "date-time"';
    expect(github.violations).toEqual([
      `GET /repos/acme/net/issues/7: answer 200${problem}`,
      `webhook issues-labeled/issue${problem}`,
    ]);
  });

  it("takes the longest comment, counted in characters", async () => {
    const { status } = await asInstallation().rest.issues.createComment({ ...at, body: "🔥".repeat(65_536) });

    expect(status).toBe(201);
    expect(github.violations).toEqual([]);
  });

  it("fails on demand, as often as asked, without reaching the state", async () => {
    const { rest } = asInstallation();
    const create = () => statusOf(rest.issues.createComment({ ...at, body: "Hello" }));
    github.failNext({ method: "POST", path: /\/comments$/ }, { status: 502, body: "<html>" }, 2);
    github.failNext({ path: /\/comments$/ }, "reset");

    expect([await create(), await create(), await create(), await create()]).toEqual([502, 502, 500, 201]);
    expect(issue().comments).toHaveLength(1);
    expect(github.requests.slice(-4).map(({ status }) => status)).toEqual([502, 502, 0, 201]);
    expect(github.violations).toEqual([]);
  });

  it("leaves a request without an answer on demand", async () => {
    github.failNext({ path: /^\/app$/ }, "hang");

    await expect(fetch(`${github.url}/app`, { signal: AbortSignal.timeout(100) })).rejects.toThrow("timeout");

    expect(github.requests).toMatchObject([{ path: "/app", status: 0, authorization: "none" }]);
  });

  it("counts down the rate limit, and refuses at its end", async () => {
    const { rest } = asInstallation();
    github.state.rateLimit.remaining = 2;

    const { headers } = await rest.issues.get(at);

    expect(headers).toMatchObject({ "x-ratelimit-limit": "5000", "x-ratelimit-remaining": "0" });
    expect(await statusOf(rest.issues.get(at))).toBe(403);
    expect(github.requests.map(({ authorization }) => authorization)).toEqual(["app", "installation", "installation"]);
    expect(github.violations).toEqual([]);
  });
});

describe("startGitHub: probot", () => {
  it("carries a Probot application from the webhook to its comment", async () => {
    const { appId, privateKey, webhookSecret: secret, url } = github;
    const Defaults = ProbotOctokit.defaults({ retry: { enabled: false }, throttle: { enabled: false } });
    const probot = new Probot({ appId, privateKey, secret, baseUrl: url, Octokit: Defaults, logLevel: "fatal" });
    await probot.load((robot) => {
      robot.on("issues.labeled", async (context) => {
        const config = await context.config<{ enabled: boolean }>("repgen.yml");
        await context.octokit.rest.issues.createComment(context.issue({ body: `enabled: ${config?.enabled}` }));
      });
    });
    const app = await startServer((response, index, request) => {
      const { headers } = request;
      probot.webhooks
        .verifyAndReceive({
          id: String(headers["x-github-delivery"]),
          name: String(headers["x-github-event"]),
          signature: String(headers["x-hub-signature-256"]),
          payload: app.bodies[index] ?? "",
        })
        .then(
          () => response.end("ok"),
          (error) => response.writeHead(500).end(String(error)),
        );
    });
    github.webhookUrl = app.url;

    await github.act.label({ repository: "acme/net", number: 7, label: "needs repro", by: "mary" });
    await github.settled();
    await app[Symbol.asyncDispose]();

    expect(github.state.deliveries.map(({ response }) => response.payload)).toEqual(["ok", "ok"]);
    expect(issue().comments).toMatchObject([{ body: "enabled: true", user: bot }]);
    expect(github.violations).toEqual([]);
  });
});
