import type { Delivery } from "./delivery.ts";
import type { BotDeps } from "./deps.ts";
import { findSettings } from "./find-settings.ts";
import { hashText, pinText } from "./pin-text.ts";
import { homeOf, runIdOf, startOn } from "./start-run.ts";
import { issueKey } from "./tell-status.ts";

/** Runs that answers of the reporter start by themselves. */
export const mostAnswers = 3;

/** Starts the next run when the reporter says what the last one lacked, in a comment or in the issue itself. */
export async function answerQuestion(delivery: Delivery, deps: BotDeps): Promise<void> {
  const reporter = delivery.issue.user?.login;
  if (reporter === undefined || delivery.sender.login !== reporter) return;
  if (delivery.event === "issues" && delivery.changes?.body === undefined && delivery.changes?.title === undefined)
    return;
  const { awaitsReporter, run } = await deps.ledger.recordOf(issueKey(delivery));
  // A run that is open may be about to ask: then this is looked at again.
  if (!awaitsReporter && run === null) return;
  await deps.ledger.withIssue(issueKey(delivery), async (record, keep) => {
    // Of an earlier try at this very delivery otherwise.
    if (record.run?.request.runId !== runIdOf(delivery)) {
      if (record.run !== null) {
        record.run.heard = delivery;
        return;
      }
      if (!record.awaitsReporter || record.answers >= mostAnswers) return;
      const { issue } = await pinText(delivery, deps);
      if (hashText(issue) === record.last?.request.pinned.hash) return;
    }
    await startOn(
      { record, keep },
      { kind: "answer", options: null, hint: null },
      delivery,
      await findSettings(homeOf(delivery), deps),
      deps,
    );
  });
}
