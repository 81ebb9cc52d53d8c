import { marker } from "./compose.ts";
import type { Delivery } from "./delivery.ts";
import type { BotDeps } from "./deps.ts";

/** Answers a delivery with a comment, once: when it was tried before, the comment is looked for first. */
export async function reply(body: string, delivery: Delivery, deps: BotDeps): Promise<void> {
  await ensureComment(`${body}\n\n${marker("answer", delivery.guid)}`, marker("answer", delivery.guid), delivery, deps);
}

/** Writes a comment unless the issue has one with that mark already. */
export async function ensureComment(
  body: string,
  mark: string,
  { installation, repository, issue }: Pick<Delivery, "installation" | "repository" | "issue">,
  deps: BotDeps,
): Promise<{ id: number; url: string }> {
  const desk = deps.desk.of(installation.id);
  const found = (await desk.commentsOf(repository.full_name, issue.number)).find((comment) =>
    comment.body.includes(mark),
  );
  return found ?? (await desk.createComment(repository.full_name, issue.number, body));
}
