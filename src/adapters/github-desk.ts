import { ForgeFault } from "../errors.ts";
import type { AppDesk } from "../ports/desk.ts";
import { readFailure } from "./github-failure.ts";
import { createInstallationDesk, type Octokit } from "./github-installation-desk.ts";

export interface GitHubDeskOptions {
  /** Tells the App's own comments from others. */
  appId: number;
  /** Octokit of an installation, or of the App itself for null. */
  authenticate: (installationId: number | null) => Promise<Octokit>;
  /** Of one request, with its wait for Octokit to let it go. (Default: 60 s.) */
  timeoutMs?: number;
}

const pageSize = 100;
const mostDeliveryPages = 50;

/** GitHub through the App's own rights. */
export function createGitHubDesk({ appId, authenticate, timeoutMs = 60_000 }: GitHubDeskOptions): AppDesk {
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
    of: (installationId) =>
      createInstallationDesk(appId, (what, send, absent) => ask(installationId, what, send, absent)),
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
