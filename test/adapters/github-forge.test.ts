import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { createGitHubForge } from "../../src/adapters/github-forge.ts";
import { IssueFault } from "../../src/errors.ts";

interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

const issue = {
  title: "Net fails",
  body: "It fails.",
  number: 12,
  created_at: "2024-05-01T10:00:00Z",
  html_url: "https://github.com/acme/tinynet/issues/12",
};
const never = new AbortController().signal;

let server: Server | null = null;
const requests: { url: string | undefined; authorization: string | undefined; agent: string | undefined }[] = [];

afterEach(async () => {
  requests.length = 0;
  server?.closeAllConnections();
  await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)));
  server = null;
});

/** Answers in turn, the last one for good; null leaves the request without an answer. */
async function listen(...answers: (Answer | null)[]): Promise<string> {
  const started = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { authorization, "user-agent": agent } = request.headers;
    requests.push({ url: request.url, authorization, agent });
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    if (answer === null || answer === undefined) return;
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(JSON.stringify(answer.body ?? { message: "no" }));
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  const address = started.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

function forgeAt(baseUrl: string, options: { token?: string; timeoutMs?: number; backoffMs?: number } = {}) {
  return createGitHubForge({
    baseUrl,
    token: options.token ?? null,
    cloneBaseUrl: "https://github.com/",
    userAgent: "repgen-bot/1",
    backoffMs: options.backoffMs ?? 1,
    timeoutMs: options.timeoutMs ?? 5_000,
  });
}

async function faultOf(promise: Promise<unknown>): Promise<{ message: string; retryable: boolean }> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof IssueFault)) throw new Error("expected an IssueFault", { cause: error });
  return { message: error.message, retryable: error.retryable };
}

describe("createGitHubForge", () => {
  it.each([
    "https://github.com/acme/tinynet/issues/12",
    "http://www.github.com/acme/tinynet/issues/12/?page=2#issuecomment-3",
  ])("reads the URL %s", (url) => {
    expect(forgeAt("http://127.0.0.1:9").parseIssueUrl(url)).toEqual({ repository: "acme/tinynet", number: 12 });
  });

  it.each([
    "https://gitlab.com/acme/tinynet/issues/12",
    "https://github.com.evil.example/acme/tinynet/issues/12",
    "https://github.com/acme/tinynet/pull/12",
    "https://github.com/acme/tinynet/issues",
    "https://",
  ])("does not take %s for an issue of its own", (url) => {
    expect(forgeAt("http://127.0.0.1:9").parseIssueUrl(url)).toBeNull();
  });

  it("reads an issue with the token", async () => {
    const forge = forgeAt(await listen({ status: 200, body: issue }), { token: "t0ken" });

    expect(await forge.getIssue("acme/tinynet", 12, never)).toEqual({
      repository: "acme/tinynet",
      number: 12,
      title: "Net fails",
      body: "It fails.",
      createdAt: "2024-05-01T10:00:00Z",
      url: "https://github.com/acme/tinynet/issues/12",
    });
    expect(requests).toEqual([
      {
        url: "/repos/acme/tinynet/issues/12",
        authorization: "token t0ken",
        agent: expect.stringContaining("repgen-bot/1"),
      },
    ]);
  });

  it("sends no authorization without a token, and has an empty body for none", async () => {
    const forge = forgeAt(await listen({ status: 200, body: { ...issue, body: null } }));

    expect((await forge.getIssue("acme/tinynet", 12, never)).body).toEqual("");
    expect(requests.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it.each([
    [401, "GITHUB_TOKEN is not valid, or has expired"],
    [403, "access is refused: GITHUB_TOKEN needs to read issues of this repository"],
    [404, "no such issue, or no access: set GITHUB_TOKEN"],
    [410, "the issue was deleted, or the repository has no issues"],
  ])("says what to do about a %i, at once", async (status, message) => {
    const forge = forgeAt(await listen({ status }));

    expect(await faultOf(forge.getIssue("acme/tinynet", 12, never))).toEqual({
      message: `acme/tinynet#12: ${message}`,
      retryable: false,
    });
    expect(requests).toHaveLength(1);
  });

  it("refuses a pull request", async () => {
    const forge = forgeAt(await listen({ status: 200, body: { ...issue, pull_request: { url: "x" } } }));

    expect(await faultOf(forge.getIssue("acme/tinynet", 12, never))).toEqual({
      message: "acme/tinynet#12: this is a pull request: give the number of an issue",
      retryable: false,
    });
  });

  it("refuses an answer that is not an issue", async () => {
    const url = await listen({ status: 200, body: { hello: "world" } });

    expect(await faultOf(forgeAt(url).getIssue("acme/tinynet", 12, never))).toEqual({
      message: `acme/tinynet#12: what answers at ${url} is not GitHub's API`,
      retryable: false,
    });
  });

  it("tries again after a server error and a secondary limit", async () => {
    const limited = {
      status: 403,
      body: { message: "You have exceeded a secondary rate limit" },
      headers: { "retry-after": "0" },
    };
    const forge = forgeAt(await listen({ status: 502 }, limited, { status: 200, body: issue }));

    expect((await forge.getIssue("acme/tinynet", 12, never)).title).toEqual("Net fails");
    expect(requests).toHaveLength(3);
  });

  it("gives up after four server errors, retryable", async () => {
    const fault = await faultOf(forgeAt(await listen({ status: 503 })).getIssue("acme/tinynet", 12, never));

    expect(fault.retryable).toEqual(true);
    expect(fault.message).toContain("acme/tinynet#12: GitHub does not answer as it should");
    expect(requests).toHaveLength(4);
  });

  it("does not wait for a limit that ends late, and says when", async () => {
    const reset = 4_102_444_800;
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) };
    const forge = forgeAt(await listen({ status: 403, headers }));

    expect(await faultOf(forge.getIssue("acme/tinynet", 12, never))).toEqual({
      message:
        "acme/tinynet#12: GitHub's rate limit is used up until 2100-01-01T00:00:00.000Z; with GITHUB_TOKEN set the limit is higher",
      retryable: true,
    });
    expect(requests).toHaveLength(1);
  });

  it("gives up on a server that does not answer", async () => {
    const forge = forgeAt(await listen(null), { timeoutMs: 50 });

    expect(await faultOf(forge.getIssue("acme/tinynet", 12, never))).toEqual({
      message: "acme/tinynet#12: GitHub does not answer as it should: no answer in time",
      retryable: true,
    });
    expect(requests).toHaveLength(4);
  });

  it("gives up on a server that is not there", async () => {
    const fault = await faultOf(forgeAt("http://127.0.0.1:9").getIssue("acme/tinynet", 12, never));

    expect(fault.retryable).toEqual(true);
  });

  it.each([
    ["during a request", [null], 1],
    ["between two tries", [{ status: 503 }], 60_000],
  ])("stops with the signal's reason %s", async (_, answers, backoffMs) => {
    const forge = forgeAt(await listen(...answers), { backoffMs });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("cancelled")), 50);

    await expect(forge.getIssue("acme/tinynet", 12, controller.signal)).rejects.toThrow("cancelled");
    expect(requests).toHaveLength(1);
  });

  it("does not start when the signal has aborted", async () => {
    const forge = forgeAt(await listen({ status: 200, body: issue }));

    await expect(forge.getIssue("acme/tinynet", 12, AbortSignal.abort(new Error("cancelled")))).rejects.toThrow(
      "cancelled",
    );
    expect(requests).toEqual([]);
  });

  it.each(["acme", "acme/tinynet/x", "../x/y", "acme/..", "a b/c", "acme/x?y"])(
    "refuses the repository %j",
    async (name) => {
      const forge = forgeAt("http://127.0.0.1:9");

      expect((await faultOf(forge.getIssue(name, 1, never))).message).toContain(
        "is not a repository: write owner/name",
      );
      expect(() => forge.cloneUrl(name)).toThrow(IssueFault);
    },
  );

  it("gives the URL to clone from", () => {
    expect(forgeAt("http://127.0.0.1:9").cloneUrl("acme/tinynet")).toEqual("https://github.com/acme/tinynet.git");
  });
});
