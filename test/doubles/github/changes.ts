import type { NamedRepository } from "./present.ts";
import { type GitHubComment, type GitHubIssue, gitHubComment, gitHubIssue, isSame, timestamp } from "./state.ts";
import type { Happening } from "./webhooks.ts";

/** An issue, where it is, and the login of who changes it. */
export interface Change {
  named: NamedRepository;
  issue: GitHubIssue;
  by: string;
}

/** Opens the next issue of the repository; each of its labels is told of after it. */
export function openIssue(
  named: NamedRepository,
  by: string,
  { title, body, labels }: { title: string; body: string | null; labels: string[] },
): { issue: GitHubIssue; opened: Happening; labeled: Happening[] } {
  const { issues } = named.repository;
  const number = Math.max(0, ...issues.map((issue) => issue.number)) + 1;
  const issue = gitHubIssue({ title, body, number, user: by });
  issues.push(issue);
  const labeled = labels
    .map((label) => addLabel({ named, issue, by }, label))
    .filter((happening) => happening !== null);
  return { issue, opened: { event: "issues", action: "opened", named, issue, by }, labeled };
}

/** Null where the issue has the label; one that the repository does not have is made, as GitHub does. */
export function addLabel({ named, issue, by }: Change, name: string): Happening | null {
  if (issue.labels.some((label) => isSame(label, name))) return null;
  const { labels } = named.repository;
  const known = labels.find((label) => isSame(label.name, name));
  if (known === undefined) labels.push({ name, color: "ededed", description: null });
  issue.labels.push(known?.name ?? name);
  issue.updated_at = timestamp();
  return { event: "issues", action: "labeled", named, issue, by, label: name };
}

/** Null where the issue does not have the label. */
export function removeLabel({ named, issue, by }: Change, name: string): Happening | null {
  const index = issue.labels.findIndex((label) => isSame(label, name));
  if (index < 0) return null;
  issue.labels.splice(index, 1);
  issue.updated_at = timestamp();
  return { event: "issues", action: "unlabeled", named, issue, by, label: name };
}

export function addComment({ named, issue, by }: Change, body: string): Happening & { comment: GitHubComment } {
  const comment = gitHubComment({ body, user: by });
  issue.comments.push(comment);
  issue.updated_at = comment.created_at;
  return { event: "issue_comment", action: "created", named, issue, by, comment };
}

export function editComment({ named, issue, by }: Change, comment: GitHubComment, body: string): Happening {
  const changes = { body: { from: comment.body } };
  comment.body = body;
  comment.updated_at = timestamp();
  return { event: "issue_comment", action: "edited", named, issue, by, comment, changes };
}

export function deleteComment({ named, issue, by }: Change, comment: GitHubComment): Happening {
  issue.comments.splice(issue.comments.indexOf(comment), 1);
  return { event: "issue_comment", action: "deleted", named, issue, by, comment };
}

export function editIssue({ named, issue, by }: Change, given: { title?: string; body?: string }): Happening {
  const changes = {
    ...(given.title === undefined ? {} : { title: { from: issue.title } }),
    ...(given.body === undefined ? {} : { body: { from: issue.body ?? "" } }),
  };
  Object.assign(issue, given, { updated_at: timestamp() });
  return { event: "issues", action: "edited", named, issue, by, changes };
}

export function closeIssue({ named, issue, by }: Change): Happening {
  const now = timestamp();
  Object.assign(issue, { state: "closed", closed_at: now, closed_by: by, updated_at: now });
  return { event: "issues", action: "closed", named, issue, by };
}

/** The reaction is added unless the user has it there; `index` is its place among those of `on`. */
export function react(
  on: GitHubIssue | GitHubComment,
  content: string,
  user: string,
): { index: number; isNew: boolean } {
  const index = on.reactions.findIndex((reaction) => reaction.content === content && isSame(reaction.user, user));
  if (index >= 0) return { index, isNew: false };
  on.reactions.push({ content, user });
  return { index: on.reactions.length - 1, isNew: true };
}
