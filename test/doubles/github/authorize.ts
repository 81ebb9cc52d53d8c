import { createPublicKey, verify } from "node:crypto";
import { type Call, type Operation, Refusal, repositoryOf } from "./calls.ts";
import type { Json } from "./openapi.ts";
import type { World } from "./present.ts";
import type { GitHubToken } from "./state.ts";

export const suspended = "This installation has been suspended";

export interface Credentials {
  /** What the request shows, good or not. */
  kind: "app" | "installation" | "none";
  /** Without its scheme; empty where there is none. */
  value: string;
}

export function credentialsOf(authorization: string | undefined): Credentials {
  const [, value = ""] = /^(?:bearer|token)\s+(\S+)$/i.exec(authorization ?? "") ?? [];
  if (authorization === undefined) return { kind: "none", value };
  return { kind: value.split(".").length === 3 ? "app" : "installation", value };
}

/**
 * The token of a request for the operation; null for one by the App, or without credentials, which may read what is
 * public. @throws {Refusal} 401; 403 for a suspended installation
 */
export function authenticate(
  world: World,
  key: string,
  operation: Operation,
  method: string,
  credentials: Credentials,
): GitHubToken | null {
  if (operation.as === "app") {
    const problem = problemOfJwt(credentials.value, key, world.appId);
    if (problem !== null) throw new Refusal(401, problem);
    return null;
  }
  if (credentials.kind === "none" && method === "GET") return null;
  if (credentials.kind === "none") throw new Refusal(401, "Requires authentication");
  const token = world.state.tokens[credentials.value];
  if (token === undefined || Date.parse(token.expires_at) <= Date.now()) throw new Refusal(401, "Bad credentials");
  if (world.state.installation.suspended_at !== null) throw new Refusal(403, suspended);
  return token;
}

/** @throws {Refusal} 404 for a repository out of reach, 403 for one where the token may not do this. */
export function authorize(operation: Operation, call: Call): void {
  if (operation.as === "app") return;
  const { repository } = repositoryOf(call);
  if (call.token === null) {
    if (repository.private) throw new Refusal(404, "Not Found");
    return;
  }
  const [permission, level] = operation.needs ?? ["metadata", "read"];
  const granted = call.token.permissions[permission];
  if (granted === undefined || (level === "write" && granted !== "write")) {
    throw new Refusal(403, "Resource not accessible by integration");
  }
}

/** GitHub's words for what is wrong with a JWT of the App; null for a good one. */
function problemOfJwt(jwt: string, key: string, appId: number): string | null {
  const [head = "", claims = "", signature = ""] = jwt.split(".");
  const header = decode(head);
  const isSigned =
    header?.alg === "RS256" &&
    verify("RSA-SHA256", Buffer.from(`${head}.${claims}`), createPublicKey(key), Buffer.from(signature, "base64url"));
  const payload = decode(claims);
  if (!isSigned || payload === null) return "A JSON web token could not be decoded";
  const now = Date.now() / 1000;
  const { iss, iat, exp } = payload;
  if (String(iss) !== String(appId)) return "'Issuer' claim ('iss') must be the ID of the App";
  if (typeof exp !== "number" || exp <= now) {
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  }
  if (exp > now + 600) return "'Expiration time' claim ('exp') is too far in the future";
  if (typeof iat !== "number" || iat > now + 1) {
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  }
  return null;
}

function decode(part: string): Json | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" ? (value as Json | null) : null;
  } catch {
    return null;
  }
}
