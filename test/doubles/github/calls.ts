import type { IncomingHttpHeaders } from "node:http";
import type { CheckedRequest, Json } from "./openapi.ts";
import type { NamedRepository, World } from "./present.ts";
import { type GitHubIssue, type GitHubToken, installedOn, isSame } from "./state.ts";
import type { Happening } from "./webhooks.ts";

/** A request that the description allows, and whose credentials are good. */
export interface Call {
  world: World;
  parameters: CheckedRequest["parameters"];
  /** Empty where there is none. */
  body: Json;
  headers: IncomingHttpHeaders;
  /** Path and query as they came. */
  target: string;
  /** Null for a request by the App itself or without credentials. */
  token: GitHubToken | null;
  /** Tells the App of what the call changed, without waiting for it. */
  tell(happening: Happening | null): void;
  redeliver(id: number): boolean;
}

/** `body` undefined is none; text is sent as it is, all else as JSON. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Operation {
  /** Who may ask: the App with its JWT, or an installation with its token (for what is public, anybody). */
  as: "app" | "installation";
  /** The permission that the token must have. */
  needs?: readonly [permission: string, level: "read" | "write"];
  answer(call: Call): Answer;
}

const documentation = "https://docs.github.com/rest";

/** An answer that is thrown; `violation` says what the caller should have known better. */
export class Refusal extends Error {
  readonly answer: Answer;
  readonly violation: string | null;

  constructor(status: number, message: string, options: { errors?: Json[]; violation?: string } = {}) {
    super(message);
    const { errors } = options;
    const body = { message, documentation_url: documentation, status: String(status) };
    this.answer = { status, body: errors === undefined ? body : { ...body, errors } };
    this.violation = options.violation ?? null;
  }
}

export const notFound = (message = "Not Found") => new Refusal(404, message);

/** GitHub's refusal of a value that its own checks, beyond the description's, do not pass. */
export function invalid(resource: string, field: string, message: string): Refusal {
  const errors = [{ resource, code: "unprocessable", field, message }];
  return new Refusal(422, "Validation Failed", { errors, violation: message });
}

/** The parameter of this name, which the description has as text. */
export function text(call: Call, name: string): string {
  return String(call.parameters[name] ?? "");
}

/** The parameter of this name, which the description has as a number. */
export function integer(call: Call, name: string): number {
  return Number(call.parameters[name]);
}

/** The repository of the call, where its token reaches it. @throws {Refusal} 404 */
export function repositoryOf(call: Call): NamedRepository {
  const wanted = `${text(call, "owner")}/${text(call, "repo")}`;
  const { state } = call.world;
  const reach = call.token === null ? Object.keys(state.repositories) : reachOf(call);
  const fullName = reach.find((name) => isSame(name, wanted));
  const repository = fullName === undefined ? undefined : state.repositories[fullName];
  if (fullName === undefined || repository === undefined) throw notFound();
  return { fullName, repository };
}

function reachOf(call: Call): string[] {
  const installed = installedOn(call.world.state);
  const limited = call.token?.repositories ?? null;
  return limited === null ? installed : installed.filter((name) => limited.some((other) => isSame(other, name)));
}

/** @throws {Refusal} 404 */
export function issueOf(call: Call): { named: NamedRepository; issue: GitHubIssue } {
  const named = repositoryOf(call);
  const issue = named.repository.issues.find(({ number }) => number === integer(call, "issue_number"));
  if (issue === undefined) throw notFound();
  return { named, issue };
}

/** The page of `items` that the call asks for, with the links to the others. */
export function page<T>(call: Call, items: readonly T[]): { items: T[]; headers: Record<string, string> } {
  const size = Math.min(Math.max(integer(call, "per_page"), 1), 100);
  const number = Math.max(integer(call, "page"), 1);
  const last = Math.max(Math.ceil(items.length / size), 1);
  const links = [
    ...(number > 1 ? [linkTo(call, "page", String(number - 1), "prev")] : []),
    ...(number < last ? [linkTo(call, "page", String(number + 1), "next")] : []),
    ...(number < last ? [linkTo(call, "page", String(last), "last")] : []),
    ...(number > 1 ? [linkTo(call, "page", "1", "first")] : []),
  ];
  const headers: Record<string, string> = links.length === 0 ? {} : { link: links.join(", ") };
  return { items: items.slice((number - 1) * size, number * size), headers };
}

/** One link of a `Link` header: the call's own address with another value of a query parameter. */
export function linkTo(call: Call, parameter: string, value: string, relation: string): string {
  const url = new URL(`${call.world.url}${call.target}`);
  url.searchParams.set(parameter, value);
  return `<${url}>; rel="${relation}"`;
}
