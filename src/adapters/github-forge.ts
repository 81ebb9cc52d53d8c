import { setTimeout as delay } from "node:timers/promises";
import { Octokit } from "@octokit/rest";
import { IssueFault } from "../errors.ts";
import type { Forge } from "../ports/forge.ts";
import type { Issue } from "../types.ts";
import { type Failure, isRecord, readFailure } from "./github-failure.ts";

export interface GitHubForgeOptions {
  /** Of the REST API: `https://api.github.com`, or `https://HOST/api/v3`. */
  baseUrl: string;
  /** Null reads public issues only. */
  token: string | null;
  /** Where repositories are cloned from: `https://github.com`. */
  cloneBaseUrl: string;
  userAgent: string;
  /** Of one request. (Default: 20 s.) */
  timeoutMs?: number;
  /** First wait before another try; doubles each time. (Default: 1 s.) */
  backoffMs?: number;
}

const maxTries = 4;
/** A limit that ends later than this is not waited for. */
const longestWaitMs = 60_000;

/** Issues of GitHub or a GitHub Enterprise server. */
export function createGitHubForge(options: GitHubForgeOptions): Forge {
  const octokit = new Octokit({
    baseUrl: options.baseUrl.replace(/\/+$/, ""),
    userAgent: options.userAgent,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    ...(options.token === null ? {} : { auth: options.token }),
  });
  return {
    parseIssueUrl: (url) => parseIssueUrl(url, options.cloneBaseUrl),
    getIssue: (repository, number, signal) => getIssue({ octokit, options, repository, number }, signal),
    cloneUrl: (repository) => {
      const { owner, repo } = splitName(repository);
      return `${options.cloneBaseUrl.replace(/\/+$/, "")}/${owner}/${repo}.git`;
    },
  };
}

function parseIssueUrl(text: string, serverUrl: string): { repository: string; number: number } | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.host.replace(/^www\./, "") !== new URL(serverUrl).host) return null;
  const [, repository, number] = /^\/([\w.-]+\/[\w.-]+)\/issues\/(\d+)\/?$/.exec(url.pathname) ?? [];
  return repository === undefined ? null : { repository, number: Number(number) };
}

interface Request {
  octokit: Octokit;
  options: GitHubForgeOptions;
  repository: string;
  number: number;
}

async function getIssue(request: Request, signal: AbortSignal): Promise<Issue> {
  const { octokit, repository, number } = request;
  const { owner, repo } = splitName(repository);
  const { data } = await withRetries(request, signal, (attempt) =>
    octokit.rest.issues.get({ owner, repo, issue_number: number, request: { signal: attempt } }),
  );
  if (!isRecord(data) || typeof data.title !== "string") {
    throw fault(request, `what answers at ${request.options.baseUrl} is not GitHub's API`);
  }
  if (data.pull_request !== undefined) {
    throw fault(request, "this is a pull request: give the number of an issue");
  }
  return {
    repository,
    number,
    title: data.title,
    body: data.body ?? "",
    createdAt: data.created_at,
    url: data.html_url,
  };
}

async function withRetries<T>(
  request: Request,
  signal: AbortSignal,
  send: (attempt: AbortSignal) => Promise<T>,
): Promise<T> {
  const { timeoutMs = 20_000, backoffMs = 1_000 } = request.options;
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await send(AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal.throwIfAborted();
      const failure = readFailure(error, timeout.aborted);
      const waitMs = failure.waitMs ?? backoffMs * 2 ** (tries - 1);
      if (!failure.passes || tries >= maxTries || waitMs > longestWaitMs) throw toFault(request, failure, error);
      await delay(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

function toFault(request: Request, failure: Failure, cause: unknown): IssueFault {
  const { options } = request;
  const retryable = failure.passes;
  if (failure.limitedUntil !== null) {
    const hint = options.token === null ? "; with GITHUB_TOKEN set the limit is higher" : "";
    return fault(request, `GitHub's rate limit is used up until ${failure.limitedUntil.toISOString()}${hint}`, {
      retryable,
      cause,
    });
  }
  switch (failure.status) {
    case 401:
      return fault(request, "GITHUB_TOKEN is not valid, or has expired", { retryable, cause });
    case 403:
      return fault(request, "access is refused: GITHUB_TOKEN needs to read issues of this repository", {
        retryable,
        cause,
      });
    case 404:
      return fault(request, "no such issue, or no access: set GITHUB_TOKEN", { retryable, cause });
    case 410:
      return fault(request, "the issue was deleted, or the repository has no issues", { retryable, cause });
    default:
      return fault(request, `GitHub does not answer as it should: ${failure.message}`, { retryable, cause });
  }
}

function fault(
  { repository, number }: Pick<Request, "repository" | "number">,
  why: string,
  options: { retryable: boolean; cause?: unknown } = { retryable: false },
): IssueFault {
  return new IssueFault(`${repository}#${number}: ${why}`, options);
}

/** @throws {IssueFault} it is not `owner/name`. */
function splitName(repository: string): { owner: string; repo: string } {
  const match = /^([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))\/([A-Za-z0-9._-]{1,100})$/.exec(repository);
  const [, owner, repo] = match ?? [];
  if (owner === undefined || repo === undefined || /^\.{1,2}$/.test(repo)) {
    throw new IssueFault(`${JSON.stringify(repository.slice(0, 100))} is not a repository: write owner/name`, {
      retryable: false,
    });
  }
  return { owner, repo };
}
