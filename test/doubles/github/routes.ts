import { appOperations } from "./app-operations.ts";
import type { Operation } from "./calls.ts";
import { issueOperations } from "./issue-operations.ts";
import { repositoryOperations } from "./repository-operations.ts";

export interface Route {
  /** As in GitHub's description: `"GET /repos/{owner}/{repo}"`. */
  name: string;
  operation: Operation;
  /** Values of the path's parameters, decoded. */
  path: Record<string, string>;
}

/** The more a path says itself, the earlier it is tried. */
const routes = Object.entries({ ...appOperations, ...repositoryOperations, ...issueOperations })
  .map(([name, operation]) => ({ name, operation, pattern: patternOf(name) }))
  .sort((left, right) => left.name.split("{").length - right.name.split("{").length);

/** Only a `path` may have slashes in it. */
function patternOf(name: string): RegExp {
  const groups = name.replaceAll(
    /\{(\w+)\}/g,
    (_, parameter) => `(?<${parameter}>${parameter === "path" ? ".+" : "[^/]+"})`,
  );
  return new RegExp(`^${groups}$`);
}

/** The operation that takes a request, by its method and undecoded path; null for none that is implemented. */
export function findRoute(method: string, pathname: string): Route | null {
  for (const { name, operation, pattern } of routes) {
    const match = pattern.exec(`${method} ${pathname}`);
    if (match === null) continue;
    const path = Object.entries(match.groups ?? {}).map(([key, value]) => [key, decode(value)]);
    return { name, operation, path: Object.fromEntries(path) };
  }
  return null;
}

/** Text that is not well escaped stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
