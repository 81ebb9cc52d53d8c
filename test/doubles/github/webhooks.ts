import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { checkWebhook, type Json } from "./openapi.ts";
import {
  type NamedRepository,
  presentComment,
  presentIssue,
  presentLabel,
  presentRepository,
  presentUser,
  type World,
} from "./present.ts";
import { type GitHubComment, type GitHubDelivery, type GitHubIssue, nextId, timestamp } from "./state.ts";

/** Something that a webhook tells of. */
export interface Happening {
  event: "issues" | "issue_comment";
  action: string;
  named: NamedRepository;
  issue: GitHubIssue;
  /** Login of the sender. */
  by: string;
  comment?: GitHubComment;
  /** Name of the label. */
  label?: string;
  /** What an edit replaced: `{ body: { from: … } }`. */
  changes?: Json;
}

/** GitHub waits no longer for an answer. */
const timeoutMs = 10_000;

type Example = Json & { action: string; repository: Json; issue: Json };

let loaded: { name: string; examples: Example[] }[] | null = null;

/**
 * A real payload of the event, with the most fields where there are several; none of an organization. There is none
 * of "issues.closed", so that of the opposite stands in.
 */
function exampleOf(event: string, action: string): Example {
  const path = createRequire(import.meta.url).resolve("@octokit/webhooks-examples/api.github.com/index.json");
  loaded ??= JSON.parse(readFileSync(path, "utf8")) as { name: string; examples: Example[] }[];
  const [example] = (loaded.find(({ name }) => name === event)?.examples ?? [])
    .filter((one) => one.action === (action === "closed" ? "reopened" : action) && one.organization === undefined)
    .filter((one) => !Object.hasOwn(one.changes ?? {}, "old_issue"))
    .sort((left, right) => Object.keys(right.repository).length - Object.keys(left.repository).length);
  if (example === undefined) throw new Error(`there is no example of ${event}.${action}`);
  return structuredClone(example);
}

function payloadOf(world: World, happening: Happening): Json {
  const { event, action, named, issue, by, comment, label, changes } = happening;
  const example = exampleOf(event, action);
  return {
    ...example,
    action,
    issue: { ...example.issue, ...presentIssue(world, named, issue) },
    ...(comment === undefined
      ? {}
      : { comment: { ...(example.comment as Json), ...presentComment(world, named, issue, comment) } }),
    ...(label === undefined ? {} : { label: presentLabel(world, named, label) }),
    ...(changes === undefined ? {} : { changes }),
    repository: presentRepository(world, named, example.repository),
    sender: presentUser(world, by),
    installation: { id: world.installationId, node_id: Buffer.from(`${world.installationId}`).toString("base64") },
  };
}

/** Sends webhooks, and keeps what became of each among the deliveries of the state. */
export interface Postman {
  /** The payload is made at once. `delivered` ends when it was answered, or could not be; it never rejects. */
  tell(happening: Happening): { guid: string; delivered: Promise<void> };
  /** Sends the delivery's event once more. @throws there is nowhere to send it to, or nothing answers there. */
  redeliver(delivery: GitHubDelivery): Promise<Response>;
  /** Waits for all that is under way. */
  settled(): Promise<void>;
  /** Gives up all that is under way. */
  close(): void;
}

/** `target` gives where to send to, null for nowhere: then deliveries are kept as ones that failed to connect. */
export function createPostman(world: World, secret: string, target: () => string | null): Postman {
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const follow = <T>(work: Promise<T>) => {
    const followed = work.finally(() => underWay.delete(followed));
    underWay.add(followed);
    return followed;
  };

  /** One attempt: `known` is the delivery without what comes of it. */
  async function attempt(known: Omit<GitHubDelivery, "duration" | "status" | "status_code" | "response">) {
    const started = performance.now();
    const record = (status: string, statusCode: number, response: GitHubDelivery["response"]) => {
      const duration = Math.round(performance.now() - started) / 1000;
      world.state.deliveries.push({ ...known, duration, status, status_code: statusCode, response });
    };
    const url = target();
    try {
      if (url === null) throw new Error("webhookUrl is null");
      const response = await fetch(url, {
        method: "POST",
        headers: known.request.headers,
        body: JSON.stringify(known.request.payload),
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]),
      });
      const payload = await response.clone().text();
      const status = response.ok ? "OK" : `Invalid HTTP Response: ${response.status}`;
      record(status, response.status, { headers: Object.fromEntries(response.headers), payload });
      return response;
    } catch (error) {
      const isLate = error instanceof DOMException && error.name === "TimeoutError";
      record(isLate ? "timed out" : "failed to connect to host", 0, { headers: {}, payload: null });
      throw error;
    }
  }

  return {
    tell(happening) {
      const payload = payloadOf(world, happening);
      world.violations.push(...checkWebhook(happening.event, happening.action, payload));
      const guid = randomUUID();
      const sent = attempt({
        id: nextId(),
        guid,
        event: happening.event,
        action: happening.action,
        delivered_at: timestamp(),
        redelivery: false,
        installation_id: world.installationId,
        repository_id: happening.named.repository.id,
        request: { headers: headersOf(world, secret, happening.event, guid, payload), payload },
      });
      const delivered = sent.then(
        () => {},
        () => {},
      );
      return { guid, delivered: follow(delivered) };
    },
    redeliver({ duration, status, status_code, response, ...known }) {
      return follow(attempt({ ...known, id: nextId(), delivered_at: timestamp(), redelivery: true }));
    },
    async settled() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    close: () => closing.abort(),
  };
}

function headersOf(world: World, secret: string, event: string, guid: string, payload: Json): Record<string, string> {
  const signature = createHmac("sha256", secret).update(JSON.stringify(payload)).digest("hex");
  return {
    accept: "*/*",
    "content-type": "application/json",
    "user-agent": "GitHub-Hookshot/0123abc",
    "X-GitHub-Delivery": guid,
    "X-GitHub-Event": event,
    "X-GitHub-Hook-ID": "1",
    "X-GitHub-Hook-Installation-Target-ID": String(world.appId),
    "X-GitHub-Hook-Installation-Target-Type": "integration",
    "X-Hub-Signature-256": `sha256=${signature}`,
  };
}
