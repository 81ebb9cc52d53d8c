import { type Call, integer, invalid, issueOf, notFound, type Operation, page, repositoryOf, text } from "./calls.ts";
import { addComment, addLabel, type Change, deleteComment, editComment, react, removeLabel } from "./changes.ts";
import { idOfIssue, presentComment, presentIssue, presentLabel, presentReaction, presentUser } from "./present.ts";
import { bot, type GitHubComment, isSame } from "./state.ts";

const issue = "/repos/{owner}/{repo}/issues/{issue_number}";
const comment = "/repos/{owner}/{repo}/issues/comments/{comment_id}";
const reading = { as: "installation", needs: ["issues", "read"] } as const;
const writing = { as: "installation", needs: ["issues", "write"] } as const;

/** What is asked of an issue with the token of an installation; what changes, the App's own user changes. */
export const issueOperations: Record<string, Operation> = {
  [`GET ${issue}`]: { ...reading, answer: getIssue },
  [`GET ${issue}/comments`]: { ...reading, answer: listComments },
  [`POST ${issue}/comments`]: { ...writing, answer: createComment },
  [`GET ${comment}`]: { ...reading, answer: getComment },
  [`PATCH ${comment}`]: { ...writing, answer: updateComment },
  [`DELETE ${comment}`]: { ...writing, answer: removeComment },
  [`POST ${issue}/reactions`]: { ...writing, answer: reactToIssue },
  [`POST ${comment}/reactions`]: { ...writing, answer: reactToComment },
  [`GET ${issue}/labels`]: { ...reading, answer: listLabels },
  [`POST ${issue}/labels`]: { ...writing, answer: addLabels },
  [`DELETE ${issue}/labels/{name}`]: { ...writing, answer: deleteLabel },
};

function getIssue(call: Call) {
  const { named, issue } = issueOf(call);
  const closedBy = issue.closed_by === null ? null : presentUser(call.world, issue.closed_by);
  return { status: 200, body: { ...presentIssue(call.world, named, issue), closed_by: closedBy } };
}

function listComments(call: Call) {
  const { named, issue } = issueOf(call);
  const since = Date.parse(text(call, "since"));
  const recent = issue.comments.filter(({ updated_at }) => Number.isNaN(since) || Date.parse(updated_at) >= since);
  const { items, headers } = page(call, recent);
  return { status: 200, headers, body: items.map((comment) => presentComment(call.world, named, issue, comment)) };
}

function createComment(call: Call) {
  const change = { ...issueOf(call), by: bot };
  const happening = addComment(change, bodyOf(call));
  call.tell(happening);
  const body = presentComment(call.world, change.named, change.issue, happening.comment);
  return { status: 201, headers: { location: String(body.url) }, body };
}

/** The comment that the call is about, and where it is. @throws {Refusal} 404 */
function commentOf(call: Call): { change: Change; comment: GitHubComment } {
  const named = repositoryOf(call);
  const id = integer(call, "comment_id");
  for (const issue of named.repository.issues) {
    const comment = issue.comments.find((other) => other.id === id);
    if (comment !== undefined) return { change: { named, issue, by: bot }, comment };
  }
  throw notFound();
}

function getComment(call: Call) {
  const { change, comment } = commentOf(call);
  return { status: 200, body: presentComment(call.world, change.named, change.issue, comment) };
}

function updateComment(call: Call) {
  const { change, comment } = commentOf(call);
  call.tell(editComment(change, comment, bodyOf(call)));
  return { status: 200, body: presentComment(call.world, change.named, change.issue, comment) };
}

function removeComment(call: Call) {
  const { change, comment } = commentOf(call);
  call.tell(deleteComment(change, comment));
  return { status: 204 };
}

/** GitHub counts characters, not UTF-16's units. */
const longestComment = 65_536;

function bodyOf(call: Call): string {
  const body = String(call.body.body);
  if (body.trim() === "") throw invalid("IssueComment", "data", "Body cannot be blank");
  if ([...body].length > longestComment) {
    throw invalid("IssueComment", "data", `Body is too long (maximum is ${longestComment} characters)`);
  }
  return body;
}

function reactToIssue(call: Call) {
  const { named, issue } = issueOf(call);
  return reaction(call, issue, idOfIssue(named, issue));
}

function reactToComment(call: Call) {
  const { comment } = commentOf(call);
  return reaction(call, comment, comment.id);
}

function reaction(call: Call, on: Parameters<typeof react>[0], id: number) {
  const content = String(call.body.content);
  const { index, isNew } = react(on, content, bot);
  const body = presentReaction(call.world, { content, user: bot }, id, index, on.created_at);
  return { status: isNew ? 201 : 200, body };
}

function listLabels(call: Call) {
  const { named, issue } = issueOf(call);
  const { items, headers } = page(call, issue.labels);
  return { status: 200, headers, body: items.map((name) => presentLabel(call.world, named, name)) };
}

function addLabels(call: Call) {
  const change = { ...issueOf(call), by: bot };
  const given = (call.body.labels ?? []) as (string | { name: string })[];
  for (const label of given) call.tell(addLabel(change, typeof label === "string" ? label : label.name));
  return { status: 200, body: change.issue.labels.map((name) => presentLabel(call.world, change.named, name)) };
}

function deleteLabel(call: Call) {
  const change = { ...issueOf(call), by: bot };
  if (!change.issue.labels.some((label) => isSame(label, text(call, "name")))) throw notFound("Label does not exist");
  call.tell(removeLabel(change, text(call, "name")));
  return { status: 200, body: change.issue.labels.map((name) => presentLabel(call.world, change.named, name)) };
}
