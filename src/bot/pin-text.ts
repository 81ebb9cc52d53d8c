import { createHash } from "node:crypto";
import { hasCommand } from "./command.ts";
import { type Delivery, timeOf } from "./delivery.ts";
import type { BotDeps } from "./deps.ts";
import type { RunRequest } from "./types.ts";

/** Of what a reporter has added, the latest; and of it all, what a run can make use of. */
const mostAdded = 20;
const mostCharacters = 200_000;

type Pinned = Pick<RunRequest, "issue" | "pinned">;

/**
 * The report as it is at the event: the issue's text of the delivery, and below it what its reporter has added in
 * comments until then. A comment that was edited later is left out: it is not what somebody with rights has seen.
 */
export async function pinText(delivery: Delivery, deps: BotDeps): Promise<Pinned> {
  const { installation, repository, issue } = delivery;
  const at = timeOf(delivery);
  const comments = await deps.desk.of(installation.id).commentsOf(repository.full_name, issue.number);
  const added = comments.filter(
    ({ author, body, updatedAt }) =>
      author !== null && author === issue.user?.login && updatedAt <= at && !hasCommand(body),
  );
  const parts = added
    .slice(-mostAdded)
    .map(({ body, createdAt }) => `\n\n---\n\nThe reporter added on ${createdAt.slice(0, 10)}:\n\n${body}`);
  const text = { title: issue.title, body: `${issue.body}${parts.join("")}`.slice(0, mostCharacters) };
  return {
    issue: { ...text, createdAt: issue.created_at, url: issue.html_url },
    pinned: { hash: hashText(text), at },
  };
}

/** SHA-256 of title and body, in hexadecimal. */
export function hashText({ title, body }: { title: string; body: string }): string {
  return createHash("sha256")
    .update(JSON.stringify([title, body]))
    .digest("hex");
}
