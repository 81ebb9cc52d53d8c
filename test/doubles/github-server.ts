import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Acts, createActs } from "./github/acts.ts";
import { authenticate, authorize, credentialsOf } from "./github/authorize.ts";
import { type Answer, Refusal } from "./github/calls.ts";
import { createFaults, type Fault, type FaultMatch, type Faults } from "./github/faults.ts";
import { checkRequest, checkResponse, type Json } from "./github/openapi.ts";
import type { World } from "./github/present.ts";
import { findRoute, type Route } from "./github/routes.ts";
import { emptyState, type GitHubState } from "./github/state.ts";
import { createPostman, type Postman } from "./github/webhooks.ts";

export { bot, type GitHubState, gitHubComment, gitHubIssue, gitHubRepository } from "./github/state.ts";

export interface GitHubRequest {
  /** Milliseconds since 1970. */
  at: number;
  method: string;
  /** Without the query, undecoded. */
  path: string;
  query: Record<string, string>;
  /** 0 where there is no answer, or none yet. */
  status: number;
  /** What it showed, good or not: the App's JWT or the token of an installation. */
  authorization: "app" | "installation" | "none";
  /** Undefined where there is none, or it is no JSON. */
  body: unknown;
}

/**
 * GitHub's REST API with a state behind it, as far as the App needs it. Requests and answers are checked against
 * GitHub's own description, and so are the webhooks.
 */
export interface GitHubServer extends AsyncDisposable {
  /** REST base, `http://127.0.0.1:PORT`. */
  url: string;
  /** All requests, in the order of their arrival. */
  requests: GitHubRequest[];
  /** What the description does not allow in requests, answers and webhooks; empty after correct use. */
  violations: string[];
  state: GitHubState;
  /** The next `times` requests (1 unless given) that match and are valid get this instead of reaching the state. */
  failNext(match: FaultMatch, answer: Fault, times?: number): void;
  /** PEM of the App's key. */
  privateKey: string;
  appId: number;
  installationId: number;
  webhookSecret: string;
  /** What people do. */
  act: Acts;
  /** URL that webhooks go to; null: they are kept as deliveries that failed, as when the App is down. */
  webhookUrl: string | null;
  /** Sends the event of a delivery again, with its GUID and body. @throws nothing answers there. */
  redeliver(guid: string): Promise<Response>;
  /** Waits until all webhooks under way were answered, those of what the App did too. */
  settled(): Promise<void>;
}

interface Parts {
  world: World;
  postman: Postman;
  faults: Faults;
  publicKey: string;
  requests: GitHubRequest[];
}

/** Without a `port` the system chooses one. */
export async function startGitHub(options: { port?: number } = {}): Promise<GitHubServer> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const world: World = { url: "", state: emptyState(), appId: 4711, installationId: 815, violations: [] };
  const webhookSecret = "the webhooks' secret";
  const postman = createPostman(world, webhookSecret, () => github.webhookUrl);
  const parts: Parts = { world, postman, faults: createFaults(), publicKey, requests: [] };
  const server = createServer((request, response) => {
    serve(parts, request, response).catch((error) => {
      world.violations.push(`${request.method} ${request.url}: the double fails: ${error}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  world.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { url, state, appId, installationId, violations } = world;
  const github: GitHubServer = {
    url,
    requests: parts.requests,
    violations,
    state,
    failNext: (match, answer, times = 1) => parts.faults.add(match, answer, times),
    privateKey,
    appId,
    installationId,
    webhookSecret,
    act: createActs(world, postman),
    webhookUrl: null,
    async redeliver(guid) {
      const delivery = state.deliveries.find((other) => other.guid === guid);
      if (delivery === undefined) throw new Error(`there is no delivery ${guid}`);
      return postman.redeliver(delivery);
    },
    settled: postman.settled,
    async [Symbol.asyncDispose]() {
      postman.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await postman.settled();
    },
  };
  return github;
}

/** Answers one request, and keeps it. What goes wrong in here is a violation too, and a 500. */
async function serve(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "GET", url: target = "/" } = request;
  const { pathname, searchParams } = new URL(`${parts.world.url}${target}`);
  const { kind: authorization } = credentialsOf(request.headers.authorization);
  const query = Object.fromEntries(searchParams);
  const entry: GitHubRequest = {
    at: Date.now(),
    method,
    path: pathname,
    query,
    status: 0,
    authorization,
    body: undefined,
  };
  parts.requests.push(entry);
  const body = await readBody(request).catch(() => null);
  if (body === null) return;
  try {
    entry.body = body === "" ? undefined : JSON.parse(body);
  } catch {
    parts.world.violations.push(`${method} ${pathname}: the body is no JSON`);
    send(parts.world, entry, response, new Refusal(400, "Problems parsing JSON").answer);
    return;
  }
  const answer = answerTo(parts, request, entry, searchParams);
  if (answer === "reset") request.socket.resetAndDestroy();
  else if (answer !== "hang") send(parts.world, entry, response, answer);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The answer to a request: that of the state unless it is not valid, or a fault is due. */
function answerTo(parts: Parts, request: IncomingMessage, entry: GitHubRequest, query: URLSearchParams): Fault {
  const { method, path, body } = entry;
  const blame = (problem: string) => parts.world.violations.push(`${method} ${path}: ${problem}`);
  const route = findRoute(method, path);
  if (route === null) {
    blame("no operation takes this");
    return new Refusal(404, "Not Found").answer;
  }
  const { parameters, problems } = checkRequest(route.name, route.path, query, body);
  if (problems.length > 0) {
    problems.forEach(blame);
    return new Refusal(422, "Invalid request", { errors: problems.map((message) => ({ code: "invalid", message })) })
      .answer;
  }
  const fault = parts.faults.take(method, path);
  if (fault !== null) return fault;
  try {
    const answer = operate(parts, route, request, parameters, (body ?? {}) as Json);
    if (typeof answer.body !== "string") checkResponse(route.name, answer.status, answer.body).forEach(blame);
    return answer;
  } catch (error) {
    if (error instanceof Refusal) {
      if (error.violation !== null) blame(error.violation);
      checkResponse(route.name, error.answer.status, error.answer.body).forEach(blame);
      return error.answer;
    }
    blame(`the double fails: ${error instanceof Error ? error.stack : error}`);
    return { status: 500, body: { message: "Server Error" } };
  }
}

/** @throws {Refusal} whatever GitHub refuses */
function operate(
  { world, postman, publicKey }: Parts,
  { operation }: Route,
  request: IncomingMessage,
  parameters: Record<string, string | number | boolean>,
  body: Json,
): Answer {
  if (world.state.rateLimit.remaining <= 0) throw new Refusal(403, "API rate limit exceeded");
  const { headers, method = "GET", url: target = "/" } = request;
  const token = authenticate(world, publicKey, operation, method, credentialsOf(headers.authorization));
  const call = {
    world,
    parameters,
    body,
    headers,
    target,
    token,
    tell: (happening: Parameters<Postman["tell"]>[0] | null) => {
      if (happening !== null) postman.tell(happening);
    },
    redeliver: (id: number) => {
      const delivery = world.state.deliveries.find((other) => other.id === id);
      if (delivery !== undefined) postman.redeliver(delivery).catch(() => {});
      return delivery !== undefined;
    },
  };
  authorize(operation, call);
  return operation.answer(call);
}

function send({ state }: World, entry: GitHubRequest, response: ServerResponse, answer: Answer): void {
  entry.status = answer.status;
  const limits = state.rateLimit;
  limits.remaining = Math.max(limits.remaining - 1, 0);
  response.writeHead(answer.status, {
    "content-type": "application/json; charset=utf-8",
    "x-ratelimit-limit": limits.limit,
    "x-ratelimit-remaining": limits.remaining,
    "x-ratelimit-reset": limits.reset,
    ...answer.headers,
  });
  const { body } = answer;
  response.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
}
