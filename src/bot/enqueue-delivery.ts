import { concerns, Delivery, isUrgent } from "./delivery.ts";
import type { BotDeps } from "./deps.ts";

/** Puts what concerns the bot into the queue; the same delivery once. Says whether it did. */
export async function enqueueDelivery(
  received: { guid: string; event: string; payload: unknown },
  { queue, counters, log }: Pick<BotDeps, "queue" | "counters" | "log">,
): Promise<boolean> {
  const { guid, event, payload } = received;
  if (!concerns(event, payload)) {
    counters.delivery(event, "ignored");
    return false;
  }
  const delivery = Delivery.safeParse({ ...Object(payload), guid, event });
  if (!delivery.success) {
    log.warn({ delivery: guid, event, problem: delivery.error.message }, "a delivery that cannot be read");
    counters.delivery(event, "ignored");
    return false;
  }
  await queue.add("delivery", delivery.data, { id: guid, priority: isUrgent(delivery.data) ? 1 : 2 });
  counters.delivery(event, "queued");
  return true;
}
