import { loadConfig } from "../config.ts";
import { cleanText } from "../issue/clean-text.ts";
import type { CommandContext } from "./io.ts";
import { readIssueArgument } from "./read-issue-argument.ts";
import { readRepositoryArgument } from "./read-repository-argument.ts";
import { exitStatus, runAndWrite } from "./run-and-write.ts";

export interface ReproduceOptions {
  repo?: string;
  ref?: string;
  contrastRef?: string;
  runs: number;
  python?: string;
  with?: string[];
  hint?: string;
  model?: string;
  attempts?: number;
  record?: string;
  replay?: string;
  out?: string;
  json?: boolean;
}

/** `repgen reproduce`: one issue, in this process. */
export async function reproduce(argument: string, options: ReproduceOptions, context: CommandContext): Promise<number> {
  const { io, buildDependencies, signal } = context;
  const config = loadConfig(io.env);
  const choice = { name: options.model ?? null, record: options.record ?? null, replay: options.replay ?? null };
  await using dependencies = await buildDependencies(config, choice, signal);
  const issue = await readIssueArgument(argument, io, dependencies.forge, signal);
  const source = readRepositoryArgument(options, issue, io, dependencies.forge);
  const job = {
    issue,
    source,
    contrastRef: options.contrastRef ?? null,
    python: options.python ?? null,
    withPackages: options.with ?? [],
    hint: options.hint ?? null,
    runs: options.runs,
    limits: {
      maxTokens: config.maxTokens,
      maxAttempts: options.attempts ?? config.maxAttempts,
      maxDurationMs: config.maxDurationMs,
    },
    gpus: config.gpus,
    memoryBytes: config.memoryBytes,
  };
  const { outcome, directory } = await runAndWrite({ job, out: options.out ?? null, dependencies }, io, signal);
  if (options.json) io.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
  else io.stdout.write(`${cleanText(outcome.reason)}\nresults: ${directory}\nverdict: ${outcome.verdict}\n`);
  return exitStatus(outcome.verdict);
}
