import type { ApplicationFunction } from "probot";
import type { BotDeps } from "./bot/deps.ts";
import { enqueueDelivery } from "./bot/enqueue-delivery.ts";

/** The Probot application: what concerns the bot goes into the queue, and GitHub has its answer. */
export function createApp(deps: Pick<BotDeps, "queue" | "counters" | "log">): ApplicationFunction {
  return (probot) => {
    probot.on(["issues.labeled", "issues.edited", "issue_comment.created"], async ({ id, name, payload }) => {
      await enqueueDelivery({ guid: id, event: name, payload }, deps);
    });
  };
}
