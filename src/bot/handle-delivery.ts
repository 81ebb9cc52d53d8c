import { answerQuestion } from "./answer-question.ts";
import { cancelRun } from "./cancel-run.ts";
import { type Command, parseCommand } from "./command.ts";
import { composeUsage } from "./compose.ts";
import { type Delivery, isUrgent } from "./delivery.ts";
import type { BotDeps } from "./deps.ts";
import { findSettings } from "./find-settings.ts";
import { reply } from "./reply.ts";
import { homeOf, startRun } from "./start-run.ts";
import type { Turns } from "./take-turns.ts";
import { tellStatus } from "./tell-status.ts";

/** Decides what a delivery asks for, and whether who sent it may. Whatever it does may be done twice. */
export async function handleDelivery(delivery: Delivery, turns: Turns, deps: BotDeps): Promise<void> {
  using _turn = turns.enter(delivery.installation.id, { urgent: isUrgent(delivery) });
  if (delivery.event === "issues" && delivery.action === "labeled") return await handleLabel(delivery, deps);
  const command = delivery.comment == null ? null : parseCommand(delivery.comment.body);
  if (command !== null) return await handleCommand(command, delivery, deps);
  await answerQuestion(delivery, deps);
}

async function handleLabel(delivery: Delivery, deps: BotDeps): Promise<void> {
  const settings = await findSettings(homeOf(delivery), deps);
  if (delivery.label?.name.toLowerCase() !== settings.label.toLowerCase()) return;
  if (!(await may(delivery, settings.roles, deps))) {
    deps.log.info({ delivery: delivery.guid }, "a label of somebody without rights");
    return;
  }
  await startRun({ kind: "label", options: null, hint: null }, delivery, settings, deps);
}

async function handleCommand(command: Command, delivery: Delivery, deps: BotDeps): Promise<void> {
  const settings = await findSettings(homeOf(delivery), deps);
  const mayStart = await may(delivery, settings.roles, deps);
  const isReporter = delivery.issue.user?.login === delivery.sender.login;
  const mayAsk = mayStart || isReporter;
  if (!(command.name === "status" || command.name === "help" ? mayAsk : mayStart)) return await refuse(delivery, deps);
  switch (command.name) {
    case "start":
      if (command.options.model !== null && !deps.models.includes(command.options.model)) {
        return await reply(composeUsage(tellModels(command.options.model, deps.models)), delivery, deps);
      }
      return await startRun(
        { kind: "command", options: command.options, hint: command.options.hint },
        delivery,
        settings,
        deps,
      );
    case "retry":
      return await startRun({ kind: "retry", options: null, hint: command.hint }, delivery, settings, deps);
    case "cancel":
      return await cancelRun(delivery, deps);
    case "status":
      return await tellStatus(delivery, deps);
    case "help":
      return await reply(composeUsage(null), delivery, deps);
    case "unknown":
      return await reply(composeUsage(command.problem), delivery, deps);
  }
}

/** A model costs its operator, who says which there are. */
function tellModels(asked: string, models: readonly string[]): string {
  return `there is no model ${asked} here; ${models.length === 0 ? "there is none" : `there are ${models.join(", ")}`}`;
}

/** Asked of GitHub now, for label events too: the right to label is less than the right to write. */
async function may(delivery: Delivery, roles: readonly string[], deps: BotDeps): Promise<boolean> {
  const { installation, repository, sender } = delivery;
  return roles.includes(await deps.desk.of(installation.id).roleOf(repository.full_name, sender.login));
}

async function refuse({ installation, repository, issue, comment }: Delivery, deps: BotDeps): Promise<void> {
  const to = { issue: issue.number, comment: comment?.id ?? null };
  await deps.desk.of(installation.id).react(repository.full_name, to, "confused");
}
