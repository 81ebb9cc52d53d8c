import { commentCharacters, composeComment } from "../comment/compose-comment.ts";
import { inlineCode, plainText } from "../comment/fence.ts";
import type { Outcome } from "../outcome.ts";
import { usage } from "./command.ts";
import { settingsPath } from "./repository-settings.ts";
import type { RunProgress, RunRequest } from "./types.ts";

/** Names a comment for the program that has to find it again; readers do not see it. */
export function marker(kind: "run" | "answer" | "settings", id: string): string {
  return `<!-- repgen:${kind}:${id} -->`;
}

/** Later stages of a long run tell enough. */
const mostStages = 40;

/** The run's comment while it waits and goes. `progress` is null before a worker has taken it. */
export function composeProgress(request: RunRequest, progress: RunProgress | null): string {
  const { runId, limits, trigger, gpu } = request;
  const lines = (progress?.stages ?? []).slice(-mostStages).map(({ name, state, durationMs, detail }) => {
    const text = `${name} (${tellDuration(durationMs)})${detail === "" ? "" : `: ${plainText(detail)}`}`;
    return state === "running" ? `- [ ] **${name}** …` : `- [${state === "done" ? "x" : " "}] ${text}`;
  });
  const held = progress?.held ?? null;
  const waiting =
    held === null
      ? `Waiting for a worker${gpu ? " with a GPU" : ""} to be free.`
      : `Waiting: ${held.what} for today are used up. It begins after ${held.until}.`;
  const used =
    progress === null
      ? []
      : [
          `Attempt ${progress.attempts} of ${limits.maxAttempts}`,
          `${progress.tokens} of ${limits.maxTokens} tokens`,
          `at most ${tellDuration(limits.maxDurationMs)}`,
        ];
  return [
    "### Reproducing this issue",
    lines.length > 0 ? lines.join("\n") : waiting,
    used.join(" · "),
    `<sub>Asked for by ${inlineCode(trigger.by)}, on the text of the issue as of ${request.pinned.at}. ${inlineCode("/repro cancel")} ends it.</sub>`,
    marker("run", runId),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The run's comment at its end. `asksAgain`: does an answer of the reporter start the next run. */
export function composeResult(
  { outcome, runId, asksAgain }: { outcome: Outcome; runId: string; asksAgain: boolean },
  secrets: readonly string[],
): string {
  const told = outcome.verdict === "failed" ? withoutDetails(outcome, runId) : outcome;
  const next = asksAgain
    ? "When the reporter answers in a comment or adds it to the issue, the bot tries again by itself."
    : "";
  const tail = [next, marker("run", runId)].filter((part) => part !== "").map((part) => `\n\n${part}`);
  const body = composeComment(told, secrets, commentCharacters - tail.join("").length);
  return [body.trimEnd(), ...tail].join("");
}

/** What went wrong on our side is for the operator's log. */
function withoutDetails(outcome: Outcome, runId: string): Outcome {
  const reason = `Something went wrong on the bot's side, not in the project. Its operator finds the details in the log under ${runId}.`;
  return { ...outcome, reason, log: "" };
}

export function composeStatus(
  status: { request: RunRequest; progress: RunProgress | null; waitingBefore: number | null } | null,
): string {
  if (status === null) return `No run is under way here. ${inlineCode("/repro")} starts one.`;
  const { progress, waitingBefore } = status;
  const running = progress?.stages.find(({ state }) => state === "running");
  if (progress === null) {
    const before = waitingBefore === null ? "" : ` ${waitingBefore} others wait.`;
    return `A run has been asked for and waits for a worker.${before}`;
  }
  if (progress.held !== null) {
    const { what, until } = progress.held;
    return `A run has been asked for and waits: ${what} for today are used up. It begins after ${until}.`;
  }
  const stage = running === undefined ? "" : `: ${running.name}`;
  const limits = status.request.limits;
  return `A run is under way${stage}. Attempt ${progress.attempts} of ${limits.maxAttempts}, ${progress.tokens} of ${limits.maxTokens} tokens, since ${progress.startedAt}.`;
}

export function composeUsage(problem: string | null): string {
  const said = problem === null ? "" : `That was not understood: ${plainText(problem)}.\n\n`;
  return `${said}\`\`\`\n${usage}\n\`\`\``;
}

export function composeWrongSettings(problems: readonly string[], sha: string): string {
  const list = problems.map((problem) => `- ${plainText(problem)}`).join("\n");
  return `Nothing is run: ${inlineCode(settingsPath)} of the default branch cannot be used.\n\n${list}\n\n${marker("settings", sha)}`;
}

export function composeOverLimit(what: string, until: string): string {
  return `Nothing is run now: ${what} for today are used up. It can be asked for again from ${until} on.`;
}

/** `45 s`, `12 min`, `2 h 5 min`. */
export function tellDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
