import { fileURLToPath } from "node:url";
import { loadConfig } from "../config.ts";
import type { CommandContext } from "./io.ts";
import { readIssueArgument } from "./read-issue-argument.ts";
import { exitStatus, runAndWrite } from "./run-and-write.ts";

const bundled = (path: string) =>
  fileURLToPath(new URL(`../../test/fixtures/bugs/never-zeroed-gradients/${path}`, import.meta.url));

/** `repgen demo`: the bundled report on the bundled project. Only the model's replies are recorded. */
export async function demo(options: { record?: string }, context: CommandContext): Promise<number> {
  const { io, buildDependencies, signal } = context;
  const config = loadConfig(io.env);
  const record = options.record ?? null;
  const choice = { name: null, record, replay: record === null ? bundled("replies.buggy.json") : null };
  await using dependencies = await buildDependencies(config, choice, signal);
  const job = {
    issue: await readIssueArgument(bundled("issue.md"), io, dependencies.forge, signal),
    source: { from: "git", url: bundled("repository"), ref: null } as const,
    contrastRef: null,
    python: null,
    withPackages: [],
    hint: null,
    runs: 3,
    limits: { maxTokens: config.maxTokens, maxAttempts: config.maxAttempts, maxDurationMs: config.maxDurationMs },
    gpus: [],
    memoryBytes: config.memoryBytes,
  };
  const { outcome, comment, directory } = await runAndWrite({ job, out: null, dependencies }, io, signal);
  io.stdout.write(`${comment}\n`);
  io.stderr.write(`results: ${directory}\n`);
  io.stdout.write(`verdict: ${outcome.verdict}\n`);
  return exitStatus(outcome.verdict);
}
