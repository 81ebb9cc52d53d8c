import { createHash } from "node:crypto";
import { exampleOf, type Json } from "./openapi.ts";
import {
  bot,
  ensureUser,
  type GitHubComment,
  type GitHubDelivery,
  type GitHubIssue,
  type GitHubReaction,
  type GitHubRepository,
  type GitHubState,
  isSame,
  roleOf,
  slug,
} from "./state.ts";

/** What answers and payloads are made from. */
export interface World {
  /** REST base, without a slash at its end. */
  url: string;
  state: GitHubState;
  appId: number;
  installationId: number;
  violations: string[];
}

/** A repository with the name that the state has it under. */
export interface NamedRepository {
  fullName: string;
  repository: GitHubRepository;
}

function nodeId(kind: string, id: number): string {
  return Buffer.from(`${kind}:${id}`).toString("base64url");
}

export function presentUser(world: World, login: string): Json {
  const user = ensureUser(world.state, login);
  const url = `${world.url}/users/${encodeURIComponent(user.login)}`;
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId("User", user.id),
    avatar_url: `https://avatars.githubusercontent.com/u/${user.id}?v=4`,
    gravatar_id: "",
    url,
    html_url: `https://github.com/${user.type === "Bot" ? `apps/${user.login.replace("[bot]", "")}` : user.login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: user.type,
    user_view_type: "public",
    site_admin: false,
  };
}

/** The App itself. */
export function presentApp(world: World): Json {
  return {
    ...exampleOf("integration"),
    id: world.appId,
    slug,
    node_id: nodeId("Integration", world.appId),
    owner: presentUser(world, world.state.installation.account),
    name: slug,
    html_url: `https://github.com/apps/${slug}`,
    permissions: world.state.installation.permissions,
    events: ["issues", "issue_comment"],
    installations_count: 1,
  };
}

export function presentInstallation(world: World): Json {
  const { installation } = world.state;
  const account = presentUser(world, installation.account);
  const url = `${world.url}/app/installations/${world.installationId}`;
  return {
    ...exampleOf("installation"),
    id: world.installationId,
    account,
    access_tokens_url: `${url}/access_tokens`,
    repositories_url: `${world.url}/installation/repositories`,
    html_url: `https://github.com/settings/installations/${world.installationId}`,
    app_id: world.appId,
    app_slug: slug,
    target_id: account.id,
    target_type: account.type,
    permissions: installation.permissions,
    events: ["issues", "issue_comment"],
    repository_selection: installation.repositories === null ? "all" : "selected",
    suspended_at: installation.suspended_at,
    suspended_by: installation.suspended_at === null ? null : account,
  };
}

/** The values of the state over an example's: its URLs are moved, and what makes it a fork or an organization's goes. */
export function presentRepository(world: World, named: NamedRepository, example = exampleOf("full-repository")): Json {
  const { fullName, repository } = named;
  const [owner = "", name = ""] = fullName.split("/");
  const { parent, source, template_repository, organization, temp_clone_token, ...plain } = example;
  const moved = JSON.stringify(plain)
    .replaceAll(String(example.full_name), fullName)
    .replaceAll("https://api.github.com", world.url);
  const open = repository.issues.filter(({ state }) => state === "open").length;
  return {
    ...JSON.parse(moved),
    id: repository.id,
    node_id: nodeId("Repository", repository.id),
    name,
    full_name: fullName,
    owner: presentUser(world, owner),
    private: repository.private,
    visibility: repository.private ? "private" : "public",
    default_branch: repository.default_branch,
    description: null,
    homepage: null,
    mirror_url: null,
    topics: [],
    has_discussions: false,
    git_url: `git://github.com/${fullName}.git`,
    clone_url: repository.clone_url ?? `https://github.com/${fullName}.git`,
    open_issues: open,
    open_issues_count: open,
  };
}

/** A label of the repository; one that the repository does not have is shown in GitHub's colour for new ones. */
export function presentLabel(world: World, { fullName, repository }: NamedRepository, name: string): Json {
  const label = repository.labels.find((other) => isSame(other.name, name));
  const known = label ?? { name, color: "ededed", description: null };
  const id = createHash("sha1").update(`${repository.id} ${known.name}`).digest().readUIntBE(0, 4);
  return {
    id,
    node_id: nodeId("Label", id),
    url: `${world.url}/repos/${fullName}/labels/${encodeURIComponent(known.name)}`,
    name: known.name,
    color: known.color,
    default: false,
    description: known.description,
  };
}

export function presentIssue(world: World, named: NamedRepository, issue: GitHubIssue): Json {
  const { fullName, repository } = named;
  const url = `${world.url}/repos/${fullName}/issues/${issue.number}`;
  const id = idOfIssue(named, issue);
  return {
    url,
    repository_url: `${world.url}/repos/${fullName}`,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: `https://github.com/${fullName}/${issue.pull_request ? "pull" : "issues"}/${issue.number}`,
    id,
    node_id: nodeId("Issue", id),
    number: issue.number,
    title: issue.title,
    user: presentUser(world, issue.user),
    labels: issue.labels.map((name) => presentLabel(world, named, name)),
    state: issue.state,
    state_reason: issue.state === "closed" ? "completed" : null,
    locked: false,
    active_lock_reason: null,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: issue.comments.length,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    closed_at: issue.closed_at,
    author_association: associationOf(fullName, repository, issue.user),
    sub_issues_summary: { total: 0, completed: 0, percent_completed: 0 },
    body: issue.body,
    reactions: presentRollup(`${url}/reactions`, issue.reactions),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: issue.user === bot ? presentApp(world) : null,
    ...(issue.pull_request ? { pull_request: presentPullRequest(world, fullName, issue.number) } : {}),
  };
}

/** Ids of issues are larger than all others, so that none is mistaken for another kind's. */
export function idOfIssue({ repository }: NamedRepository, issue: GitHubIssue): number {
  return repository.id * 1_000_000 + issue.number;
}

function presentPullRequest(world: World, fullName: string, number: number): Json {
  const page = `https://github.com/${fullName}/pull/${number}`;
  const url = `${world.url}/repos/${fullName}/pulls/${number}`;
  return { url, html_url: page, diff_url: `${page}.diff`, patch_url: `${page}.patch`, merged_at: null };
}

export function presentComment(world: World, named: NamedRepository, issue: GitHubIssue, comment: GitHubComment): Json {
  const { fullName, repository } = named;
  const url = `${world.url}/repos/${fullName}/issues/comments/${comment.id}`;
  return {
    url,
    html_url: `https://github.com/${fullName}/issues/${issue.number}#issuecomment-${comment.id}`,
    issue_url: `${world.url}/repos/${fullName}/issues/${issue.number}`,
    id: comment.id,
    node_id: nodeId("IssueComment", comment.id),
    user: presentUser(world, comment.user),
    created_at: comment.created_at,
    updated_at: comment.updated_at,
    author_association: associationOf(fullName, repository, comment.user),
    body: comment.body,
    reactions: presentRollup(`${url}/reactions`, comment.reactions),
    performed_via_github_app: comment.user === bot ? presentApp(world) : null,
  };
}

function associationOf(fullName: string, repository: GitHubRepository, login: string): string {
  if (isSame(fullName.split("/")[0] ?? "", login)) return "OWNER";
  const isCollaborator = Object.keys(repository.collaborators).some((name) => isSame(name, login));
  return isCollaborator && roleOf(fullName, repository, login) !== "none" ? "COLLABORATOR" : "NONE";
}

const contents = ["+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"];

function presentRollup(url: string, reactions: readonly GitHubReaction[]): Json {
  const counts = contents.map((content) => [content, reactions.filter((one) => one.content === content).length]);
  return { url, total_count: reactions.length, ...Object.fromEntries(counts) };
}

/** The reaction at `index` of those of the issue or comment with id `of`. */
export function presentReaction(world: World, reaction: GitHubReaction, of: number, index: number, at: string): Json {
  const id = of * 100 + index;
  const { content, user } = reaction;
  return { id, node_id: nodeId("Reaction", id), user: presentUser(world, user), content, created_at: at };
}

/** A delivery as it stands in the list, without what was sent and answered. */
export function presentDeliveryItem({ request, response, ...item }: GitHubDelivery): Json {
  return { ...item, throttled_at: null };
}

/** Files beyond this come without their content. */
const longestContent = 1_000_000;

/** A file with the SHA-1 that git gives it. */
export function presentFile(world: World, { fullName, repository }: NamedRepository, path: string, text: string): Json {
  const bytes = Buffer.from(text);
  const sha = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  const ref = repository.default_branch;
  const escaped = path.split("/").map(encodeURIComponent).join("/");
  const self = `${world.url}/repos/${fullName}/contents/${escaped}?ref=${ref}`;
  const git = `${world.url}/repos/${fullName}/git/blobs/${sha}`;
  const html = `https://github.com/${fullName}/blob/${ref}/${escaped}`;
  return {
    type: "file",
    encoding: bytes.length > longestContent ? "none" : "base64",
    size: bytes.length,
    name: path.split("/").at(-1),
    path,
    content: bytes.length > longestContent ? "" : bytes.toString("base64").replace(/.{1,60}/g, "$&\n"),
    sha,
    url: self,
    git_url: git,
    html_url: html,
    download_url: `https://raw.githubusercontent.com/${fullName}/${ref}/${escaped}`,
    _links: { self, git, html },
  };
}
