import { onTestFinished } from "vitest";
import type { RunRequest } from "../../src/bot/types.ts";
import { bareOutcome, type Outcome } from "../../src/outcome.ts";
import type { Handler } from "../../src/ports/queue.ts";
import { repository, type Stage, setStage, until } from "./stage.ts";

export { type Process, repository, type Stage, until } from "./stage.ts";

/** The stage of one test, cleared away at its end. */
export async function startStage(options: Parameters<typeof setStage>[0] = {}): Promise<Stage> {
  const cleanUp = new AsyncDisposableStack();
  onTestFinished(() => cleanUp.disposeAsync());
  return await setStage(options, cleanUp);
}

type End = Partial<Outcome> & { gpuSeconds?: number };

/** Stands in for the process that runs issues; each run ends as `end` says. */
export function workScripted(
  { queue, ledger }: Stage,
  end: (request: RunRequest) => End | Promise<End>,
  name: "reproduce" | "reproduce-gpu" = "reproduce",
): { runs: RunRequest[] } {
  const runs: RunRequest[] = [];
  const handle: Handler<"reproduce" | "reproduce-gpu"> = async ({ data }, signal) => {
    runs.push(data);
    using cancelled = await ledger.cancelSignal(data.runId);
    const ended = await Promise.race([
      end(data),
      new Promise<End>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        cancelled.addEventListener("abort", () => resolve({ verdict: "cancelled", reason: "The run was cancelled." }));
      }),
    ]);
    const about = { repository: data.home.repository.fullName, number: data.home.issueNumber, title: data.issue.title };
    const bare = bareOutcome({ ...about, url: data.issue.url }, "not-reproduced", "It did not show.");
    const { gpuSeconds = 0, ...outcome } = ended;
    await queue.add(
      "outcome",
      { runId: data.runId, outcome: { ...bare, ...outcome }, gpuSeconds },
      { id: `outcome-${data.runId}` },
    );
  };
  const work =
    name === "reproduce"
      ? queue.work("reproduce", { reproduce: handle }, { concurrency: 4 })
      : queue.work("reproduce-gpu", { "reproduce-gpu": handle }, { concurrency: 1 });
  onTestFinished(() => work[Symbol.asyncDispose]());
  return { runs };
}

/** The issue as it is on GitHub now. */
export function issueOf({ github }: Stage, number = 1) {
  const issue = github.state.repositories[repository]?.issues.find((each) => each.number === number);
  if (issue === undefined) throw new Error(`there is no issue ${number}`);
  return issue;
}

/** Issues 2 to `last`, like the first. */
export function addIssues({ github }: Stage, last: number): void {
  const issues = github.state.repositories[repository]?.issues;
  const first = issues?.[0];
  if (issues === undefined || first === undefined) throw new Error("there is no issue");
  for (let number = 2; number <= last; number++) issues.push({ ...structuredClone(first), number });
}

/** Comments of the App on an issue. */
export function botComments(stage: Stage, number = 1): string[] {
  return issueOf(stage, number)
    .comments.filter(({ user }) => user.endsWith("[bot]"))
    .map(({ body }) => body);
}

/** Waits until the bot has looked at all that was delivered. */
export async function settled({ github, queue, ledger }: Stage): Promise<void> {
  await github.settled();
  await until("all deliveries are handled", async () => {
    const guids = new Set(github.state.deliveries.map(({ guid }) => guid));
    const states = await Promise.all([...guids].map((guid) => queue.stateOf("delivery", guid)));
    return !states.includes("waiting") && !states.includes("running");
  });
  await ledger.ping();
}
