import type { ProbotOctokit } from "probot";
import { ForgeFault } from "../errors.ts";
import type { Desk, Role } from "../ports/desk.ts";

export type Octokit = InstanceType<typeof ProbotOctokit>;

const pageSize = 100;
/** Of an issue with more comments only the latest are read. */
const mostPages = 10;

/** Sends one request: its answer, or null for the statuses that `absent` names. @throws {ForgeFault} */
export type Ask = <T>(
  what: string,
  send: (octokit: Octokit, request: { signal: AbortSignal }) => Promise<{ data: T }>,
  absent?: readonly number[],
) => Promise<T | null>;

/** What the App may read and write with the rights of one installation. */
export function createInstallationDesk(appId: number, ask: Ask): Desk {
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
    async idOf(repository) {
      const seen = await ask(
        repository,
        (octokit, request) => octokit.rest.repos.get({ ...split(repository), request }),
        [404],
      );
      return seen?.id ?? null;
    },
    async commentsOf(repository, issue, since) {
      let lastPage = 1;
      const read = async (page: number) =>
        (await ask(`comments of ${repository}#${issue}`, async (octokit, request) => {
          const answer = await octokit.rest.issues.listComments({
            ...split(repository),
            issue_number: issue,
            per_page: pageSize,
            page,
            ...(since === undefined ? {} : { since: since.toISOString() }),
            request,
          });
          lastPage = Math.max(lastPage, lastPageOf(answer.headers.link));
          return answer;
        })) ?? [];
      const comments = await read(1);
      const next = Math.max(2, lastPage - mostPages + 1);
      if (next > 2) comments.length = 0;
      for (let page = next; page <= lastPage; page++) comments.push(...(await read(page)));
      return comments.map((comment) => ({
        id: comment.id,
        body: comment.body ?? "",
        author: comment.user?.login ?? null,
        isOwn: comment.performed_via_github_app?.id === appId,
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
      if (again === null && (await this.idOf(repository)) !== null) return "gone";
      throw new ForgeFault(`${repository} is not to be seen just now`, { status: 404, retryable: true });
    },
    async deleteComment(repository, comment) {
      await ask(
        `a comment in ${repository}`,
        (octokit, request) => octokit.rest.issues.deleteComment({ ...split(repository), comment_id: comment, request }),
        [404, 410],
      );
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
    async labelsOf(repository, issue) {
      const labels = await ask(`labels of ${repository}#${issue}`, (octokit, request) =>
        octokit.rest.issues.listLabelsOnIssue({
          ...split(repository),
          issue_number: issue,
          per_page: pageSize,
          request,
        }),
      );
      return (labels ?? []).map(({ name }) => name);
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
      if (file === null || Array.isArray(file) || file.type !== "file") return null;
      const isWhole = "content" in file && "encoding" in file && file.encoding === "base64";
      return { text: isWhole ? Buffer.from(file.content, "base64").toString("utf8") : null, sha: file.sha };
    },
  };
}

/** From the header `Link`; 1 where it names none. */
function lastPageOf(link: string | undefined): number {
  return Number(/[?&]page=(\d+)[^>]*>;\s*rel="last"/.exec(link ?? "")?.[1] ?? 1);
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
