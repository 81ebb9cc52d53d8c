import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { ModelChoice } from "../../src/cli/io.ts";
import { loadConfig } from "../../src/config.ts";
import { parseIssueFile } from "../../src/issue/issue-file.ts";
import { reproduceIssue, type Trajectory } from "../../src/pipeline/reproduce-issue.ts";
import { buildDependencies } from "../../workers/build-dependencies.ts";
import { buildRepository } from "../fixtures/build-repository.ts";
import { readNotBugs } from "../fixtures/read-fixtures.ts";

const fixturesFolder = join(import.meta.dirname, "..", "fixtures");
const never = new AbortController().signal;

/** Where the replies for a fixture at a commit are recorded; no such file means that no model is asked. */
export function recordingOf(fixture: string, at: "buggy" | "fixed"): string {
  return join(fixturesFolder, fixture, `replies.${at}.json`);
}

/**
 * Runs a fixture (`bugs/NAME`, `not-bugs/NAME`) from its report to the outcome: everything real but the model, whose
 * replies are recorded. With `record` the configured endpoint is asked and its replies are written.
 */
export async function runFixture(
  fixture: string,
  at: "buggy" | "fixed",
  options: { record?: boolean; runs?: number; onNote?: (text: string) => void } = {},
): Promise<Trajectory> {
  const directory = await mkdtemp(join(tmpdir(), "repgen-fixture-"));
  try {
    const config = loadConfig();
    const recording = recordingOf(fixture, at);
    const choice: ModelChoice = {
      name: null,
      record: options.record ? recording : null,
      replay: !options.record && existsSync(recording) ? recording : null,
    };
    const noEndpoint = { ...config, model: options.record ? config.model : null };
    await using dependencies = await buildDependencies(noEndpoint, choice, never);
    const repository = await buildRepository(await repositoryOf(fixture), directory);
    const issueFile = join(fixturesFolder, fixture, "issue.md");
    const job = {
      issue: parseIssueFile(readFileSync(issueFile), issueFile),
      source: { from: "git", url: repository.path, ref: repository[at] } as const,
      contrastRef: null,
      python: null,
      withPackages: [],
      hint: null,
      runs: options.runs ?? 2,
      limits: {
        maxTokens: config.maxTokens,
        maxAttempts: 3,
        maxDurationMs: options.record ? config.maxDurationMs : 600_000,
      },
      gpus: [],
      memoryBytes: config.memoryBytes,
    };
    const onProgress = (progress: { type: string; text?: string; stage: string }) =>
      options.onNote?.(progress.text ?? `${progress.type} ${progress.stage}`);
    return await reproduceIssue(job, { ...dependencies, onProgress }, never);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The bug whose repository a fixture is about: its own, or the one that a report of no bug names. */
async function repositoryOf(fixture: string): Promise<string> {
  const name = basename(fixture);
  const notBug = fixture.startsWith("not-bugs/") ? (await readNotBugs()).find((each) => each.name === name) : undefined;
  return notBug?.repository ?? name;
}
