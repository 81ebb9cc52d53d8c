/** A role on a repository, as GitHub's `role_name` says it. */
export type GitHubRole = "admin" | "maintain" | "write" | "triage" | "read" | "none";

/** Permissions of the App or of a token: `{ issues: "write" }`. */
export type GitHubPermissions = Record<string, "read" | "write">;

export interface GitHubUser {
  id: number;
  type: "User" | "Bot";
}

export interface GitHubReaction {
  content: string;
  user: string;
}

/** Times are ISO 8601 in UTC, to the second, as GitHub gives them. */
export interface GitHubComment {
  /** Unique over all repositories. */
  id: number;
  body: string;
  user: string;
  created_at: string;
  updated_at: string;
  reactions: GitHubReaction[];
}

export interface GitHubIssue {
  number: number;
  title: string;
  body: string | null;
  user: string;
  state: "open" | "closed";
  /** Names of labels of the repository. */
  labels: string[];
  comments: GitHubComment[];
  reactions: GitHubReaction[];
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  closed_by: string | null;
  /** Whether it is a pull request, which GitHub shows as an issue too. */
  pull_request: boolean;
}

export interface GitHubLabel {
  name: string;
  /** Six hexadecimal digits. */
  color: string;
  description: string | null;
}

export interface GitHubRepository {
  id: number;
  private: boolean;
  default_branch: string;
  /** Where git clones it from; null for `https://github.com/OWNER/NAME.git`. */
  clone_url: string | null;
  /** Path to text, on the default branch. */
  files: Record<string, string>;
  labels: GitHubLabel[];
  /** Who is not named here has "read" on a public repository and "none" on a private one; the owner has "admin". */
  collaborators: Record<string, GitHubRole>;
  issues: GitHubIssue[];
}

/** One attempt to deliver a webhook, in the words of GitHub's API. */
export interface GitHubDelivery {
  id: number;
  /** The same for all attempts of one event. */
  guid: string;
  event: string;
  action: string;
  delivered_at: string;
  redelivery: boolean;
  /** In seconds. */
  duration: number;
  status: string;
  /** Of the answer; 0 where there was none. */
  status_code: number;
  installation_id: number;
  repository_id: number;
  request: { headers: Record<string, string>; payload: Record<string, unknown> };
  response: { headers: Record<string, string>; payload: string | null };
}

/** What a `ghs_…` token may do. */
export interface GitHubToken {
  expires_at: string;
  /** Full names; null for all of the installation's. */
  repositories: string[] | null;
  permissions: GitHubPermissions;
}

/** All that the server knows; plain objects to change at will. */
export interface GitHubState {
  users: Record<string, GitHubUser>;
  /** By full name, `owner/name`. */
  repositories: Record<string, GitHubRepository>;
  installation: {
    /** Login of the account that the App is installed on. */
    account: string;
    /** Full names; null for all that the state has. */
    repositories: string[] | null;
    permissions: GitHubPermissions;
    suspended_at: string | null;
  };
  tokens: Record<string, GitHubToken>;
  /** In the order of their ends. */
  deliveries: GitHubDelivery[];
  /** Every answer takes one of `remaining`; at 0 requests are refused. `reset` is in seconds since 1970. */
  rateLimit: { limit: number; remaining: number; reset: number };
}

/** Name of the App in URLs. */
export const slug = "repgen-bot";

/** Login of the user that the App acts as. */
export const bot = `${slug}[bot]`;

let lastId = 1000;

/** An id that nothing else has. */
export function nextId(): number {
  lastId += 1;
  return lastId;
}

/** Now, to the second. */
export function timestamp(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}

/** The App installed on everything of `acme`, which has nothing yet. */
export function emptyState(): GitHubState {
  return {
    users: { [bot]: { id: nextId(), type: "Bot" }, acme: { id: nextId(), type: "User" } },
    repositories: {},
    installation: {
      account: "acme",
      repositories: null,
      permissions: { contents: "read", issues: "write", metadata: "read" },
      suspended_at: null,
    },
    tokens: {},
    deliveries: [],
    rateLimit: { limit: 5000, remaining: 5000, reset: Math.ceil(Date.now() / 1000) + 3600 },
  };
}

/** A public repository with nothing in it; `changes` replace its parts. */
export function gitHubRepository(changes: Partial<GitHubRepository> = {}): GitHubRepository {
  return {
    id: nextId(),
    private: false,
    default_branch: "main",
    clone_url: null,
    files: {},
    labels: [],
    collaborators: {},
    issues: [],
    ...changes,
  };
}

/** An open issue without labels or comments; `changes` replace its parts. */
export function gitHubIssue(changes: Partial<GitHubIssue> & { number: number; user: string }): GitHubIssue {
  const now = timestamp();
  return {
    title: "It fails",
    body: null,
    state: "open",
    labels: [],
    comments: [],
    reactions: [],
    created_at: now,
    updated_at: now,
    closed_at: null,
    closed_by: null,
    pull_request: false,
    ...changes,
  };
}

/** A comment of now; `changes` replace its parts. */
export function gitHubComment(changes: Partial<GitHubComment> & { body: string; user: string }): GitHubComment {
  const now = timestamp();
  return { id: nextId(), created_at: now, updated_at: now, reactions: [], ...changes };
}

/** Whether two logins, label names or repository names are one: GitHub tells no case apart. */
export function isSame(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

/** The user of this login, as the state spells it; null for an unknown one. */
export function findUser(state: GitHubState, login: string): (GitHubUser & { login: string }) | null {
  const found = Object.entries(state.users).find(([name]) => isSame(name, login));
  return found === undefined ? null : { login: found[0], ...found[1] };
}

/** The user of this login, who is added where unknown. */
export function ensureUser(state: GitHubState, login: string): GitHubUser & { login: string } {
  const found = findUser(state, login);
  if (found !== null) return found;
  const user: GitHubUser = { id: nextId(), type: "User" };
  state.users[login] = user;
  return { login, ...user };
}

/** What the user may do in the repository. */
export function roleOf(fullName: string, repository: GitHubRepository, login: string): GitHubRole {
  const named = Object.entries(repository.collaborators).find(([name]) => isSame(name, login));
  if (named !== undefined) return named[1];
  const [owner = ""] = fullName.split("/");
  if (isSame(owner, login)) return "admin";
  return repository.private ? "none" : "read";
}

/** Full names of the repositories that the App is installed on. */
export function installedOn(state: GitHubState): string[] {
  const names = Object.keys(state.repositories);
  const { repositories } = state.installation;
  return repositories === null ? names : names.filter((name) => repositories.some((other) => isSame(name, other)));
}
