import type { Comment, Desk } from "../ports/desk.ts";
import { marker } from "./compose.ts";
import { type Delivery, timeOf } from "./delivery.ts";
import type { BotDeps } from "./deps.ts";

/** Answers a delivery with a comment, once: when it was tried before, the comment is looked for first. */
export async function reply(body: string, delivery: Delivery, deps: BotDeps): Promise<void> {
  await ensureComment(`${body}\n\n${marker("answer", delivery.guid)}`, marker("answer", delivery.guid), delivery, deps);
}

/** Writes a comment unless the issue has one of the App's own with that mark already. */
export async function ensureComment(
  body: string,
  mark: string,
  delivery: Delivery,
  deps: BotDeps,
): Promise<{ id: number; url: string }> {
  const { installation, repository, issue } = delivery;
  const desk = deps.desk.of(installation.id);
  const [found] = await findOwn(mark, repository.full_name, issue.number, timeOf(delivery), desk);
  return found ?? (await desk.createComment(repository.full_name, issue.number, body));
}

/** The App's own comments with that mark, of an issue's comments since a time; anybody may write the mark. */
export async function findOwn(
  mark: string,
  repository: string,
  issue: number,
  since: string,
  desk: Desk,
): Promise<Comment[]> {
  const comments = await desk.commentsOf(repository, issue, new Date(since));
  return comments.filter(({ isOwn, body }) => isOwn && body.includes(mark));
}
