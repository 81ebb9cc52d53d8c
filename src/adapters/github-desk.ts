import type { ProbotOctokit } from "probot";
import { ForgeFault } from "../errors.ts";
import type { AppDesk, Desk, Role } from "../ports/desk.ts";
import { readFailure } from "./github-failure.ts";

type Octokit = InstanceType<typeof ProbotOctokit>;

export interface GitHubDeskOptions {
  /** Octokit of an installation, or of the App itself for null. */
  authenticate: (installationId: number | null) => Promise<Octokit>;
  /** Of one request, with its wait for Octokit to let it go. (Default: 60 s.) */
  timeoutMs?: number;
}

const pageSize = 100;
/** Comments of an issue beyond this are not read. */
const mostPages = 10;
const mostDeliveryPages = 50;

/** GitHub through the App's own rights. */
export function createGitHubDesk({ authenticate, timeoutMs = 60_000 }: GitHubDeskOptions): AppDesk {
  /** One request: its answer, or null for the statuses that `absent` names. */
  const ask = async <T>(
    installationId: number | null,
    what: string,
    send: (octokit: Octokit, request: { signal: AbortSignal }) => Promise<{ data: T }>,
    absent: readonly number[] = [],
  ): Promise<T | null> => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return (await send(await authenticate(installationId), { signal })).data;
    } catch (error) {
      const failure = readFailure(error, signal.aborted);
      if (failure.status !== null && absent.includes(failure.status)) return null;
      const { status, message, waitMs: retryAfterMs } = failure;
      // Of a key that the operator can put right, or a token that is not known everywhere yet.
      const retryable = failure.passes || status === 401;
      throw new ForgeFault(`${what}: ${message}`, { status, retryable, retryAfterMs, cause: error });
    }
  };
  return {
    of: (installationId) => createDesk((what, send, absent) => ask(installationId, what, send, absent)),
    async readToken(installationId, repositoryId) {
      const made = await ask(null, "token to read a repository", (octokit, request) =>
        octokit.rest.apps.createInstallationAccessToken({
          installation_id: installationId,
          repository_ids: [repositoryId],
          permissions: { contents: "read" },
          request,
        }),
      );
      if (made === null) throw new ForgeFault("no token", { status: null, retryable: false });
      return made.token;
    },
    async missedDeliveries(since) {
      const missed: { guid: string; event: string; payload: unknown }[] = [];
      for (const { id, guid, event } of await failedSince(since)) {
        const whole = await ask(
          null,
          "a delivery",
          (octokit, request) => octokit.rest.apps.getWebhookDelivery({ delivery_id: id, request }),
          [404],
        );
        if (whole !== null) missed.unshift({ guid, event, payload: whole.request.payload });
      }
      return missed;
    },
  };

  /** Newest first; a delivery counts as failed when none of its tries was answered with success. */
  async function failedSince(since: Date) {
    const failed = new Map<string, { id: number; guid: string; event: string }>();
    const succeeded = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < mostDeliveryPages; page++) {
      let next: string | undefined;
      const deliveries = await ask(null, "deliveries", async (octokit, request) => {
        const answer = await octokit.rest.apps.listWebhookDeliveries({
          per_page: pageSize,
          ...(cursor ? { cursor } : {}),
          request,
        });
        next = /[?&]cursor=([^&>]+)[^>]*>;\s*rel="next"/.exec(answer.headers.link ?? "")?.[1];
        return answer;
      });
      for (const { id, guid, event, status_code: status } of deliveries ?? []) {
        if (status >= 200 && status < 400) succeeded.add(guid);
        else failed.set(guid, { id, guid, event });
      }
      const oldest = deliveries?.at(-1)?.delivered_at;
      if (next === undefined || oldest === undefined || new Date(oldest) < since) break;
      cursor = decodeURIComponent(next);
    }
    return [...failed.values()].filter(({ guid }) => !succeeded.has(guid));
  }
}

type Ask = <T>(
  what: string,
  send: (octokit: Octokit, request: { signal: AbortSignal }) => Promise<{ data: T }>,
  absent?: readonly number[],
) => Promise<T | null>;

function createDesk(ask: Ask): Desk {
  return {
    async roleOf(repository, login) {
      const answer = await ask(
        `rights of ${login} in ${repository}`,
        (octokit, request) =>
          octokit.rest.repos.getCollaboratorPermissionLevel({ ...split(repository), username: login, request }),
        [404],
      );
      return answer === null ? "none" : toRole(answer.role_name, answer.permission);
    },
    async commentsOf(repository, issue) {
      const comments = [];
      for (let page = 1; page <= mostPages; page++) {
        const some = await ask(`comments of ${repository}#${issue}`, (octokit, request) =>
          octokit.rest.issues.listComments({
            ...split(repository),
            issue_number: issue,
            per_page: pageSize,
            page,
            request,
          }),
        );
        comments.push(...(some ?? []));
        if ((some?.length ?? 0) < pageSize) break;
      }
      return comments.map((comment) => ({
        id: comment.id,
        body: comment.body ?? "",
        author: comment.user?.login ?? null,
        createdAt: comment.created_at,
        updatedAt: comment.updated_at,
        url: comment.html_url,
      }));
    },
    async createComment(repository, issue, body) {
      const made = await ask(`a comment on ${repository}#${issue}`, (octokit, request) =>
        octokit.rest.issues.createComment({ ...split(repository), issue_number: issue, body, request }),
      );
      if (made === null) throw new ForgeFault("no comment", { status: null, retryable: false });
      return { id: made.id, url: made.html_url };
    },
    async editComment(repository, comment, body) {
      const edited = await ask(
        `a comment in ${repository}`,
        (octokit, request) =>
          octokit.rest.issues.updateComment({ ...split(repository), comment_id: comment, body, request }),
        [404, 410],
      );
      if (edited !== null) return { url: edited.html_url };
      // A repository that is not to be seen for a while says the same as a comment that is not there.
      const again = await ask(
        `a comment in ${repository}`,
        (octokit, request) => octokit.rest.issues.getComment({ ...split(repository), comment_id: comment, request }),
        [404, 410],
      );
      const seen = await ask(
        repository,
        (octokit, request) => octokit.rest.repos.get({ ...split(repository), request }),
        [404],
      );
      if (again === null && seen !== null) return "gone";
      throw new ForgeFault(`${repository} is not to be seen just now`, { status: 404, retryable: true });
    },
    async react(repository, { issue, comment }, content) {
      await ask(
        `a reaction in ${repository}`,
        async (octokit, request) =>
          comment === null
            ? await octokit.rest.reactions.createForIssue({
                ...split(repository),
                issue_number: issue,
                content,
                request,
              })
            : await octokit.rest.reactions.createForIssueComment({
                ...split(repository),
                comment_id: comment,
                content,
                request,
              }),
        // Of a comment that was deleted meanwhile.
        [404, 410],
      );
    },
    async addLabel(repository, issue, { name, color, description }) {
      // 422 says that the repository has it.
      await ask(
        `the label ${name} of ${repository}`,
        (octokit, request) =>
          octokit.rest.issues.createLabel({ ...split(repository), name, color, description, request }),
        [422],
      );
      await ask(`the label ${name} on ${repository}#${issue}`, (octokit, request) =>
        octokit.rest.issues.addLabels({ ...split(repository), issue_number: issue, labels: [name], request }),
      );
    },
    async removeLabel(repository, issue, label) {
      await ask(
        `the label ${label} on ${repository}#${issue}`,
        (octokit, request) =>
          octokit.rest.issues.removeLabel({ ...split(repository), issue_number: issue, name: label, request }),
        [404, 410],
      );
    },
    async readFile(repository, path) {
      const file = await ask(
        `${path} of ${repository}`,
        (octokit, request) => octokit.rest.repos.getContent({ ...split(repository), path, request }),
        [404],
      );
      if (file === null || Array.isArray(file) || !("content" in file) || file.content === undefined) return null;
      return { text: Buffer.from(file.content, "base64").toString("utf8"), sha: file.sha };
    },
  };
}

function split(repository: string): { owner: string; repo: string } {
  const [owner = "", repo = ""] = repository.split("/");
  return { owner, repo };
}

/** A custom role keeps its own name; `permission` then says what it comes to. */
function toRole(name: string, permission: string): Role {
  const roles: Role[] = ["admin", "maintain", "write", "triage", "read", "none"];
  return roles.find((role) => role === name) ?? roles.find((role) => role === permission) ?? "none";
}
