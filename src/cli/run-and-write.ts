import { existsSync } from "node:fs";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { composeComment } from "../comment/compose-comment.ts";
import { writeScript } from "../comment/write-script.ts";
import { UsageFault } from "../errors.ts";
import type { ReproduceJob } from "../job.ts";
import { Outcome } from "../outcome.ts";
import { reproduceIssue } from "../pipeline/reproduce-issue.ts";
import type { Issue, Verdict } from "../types.ts";
import type { Dependencies, Io } from "./io.ts";
import { watchProgress } from "./watch-progress.ts";

/** Runs a job and writes its folder: `comment.md`, `outcome.json`, `reproduce.py` (when there is a script), `trajectory.json`. */
export async function runAndWrite(
  input: { job: ReproduceJob; out: string | null; dependencies: Dependencies },
  io: Io,
  signal: AbortSignal,
): Promise<{ outcome: Outcome; comment: string; directory: string }> {
  const { job, out, dependencies } = input;
  const directory = resolve(io.cwd, out ?? freeFolder(io.cwd, job.issue));
  // Before the run: a folder that cannot be made must not cost one.
  await makeFolder(directory);
  const watcher = watchProgress(io.stderr);
  const trajectory = await reproduceIssue(job, { ...dependencies, onProgress: watcher.onProgress }, signal);
  watcher.end();
  const outcome = Outcome.parse(trajectory.outcome);
  const comment = composeComment(outcome, dependencies.secrets);
  await writeFile(join(directory, "trajectory.json"), `${JSON.stringify(trajectory, null, 2)}\n`);
  await writeFile(join(directory, "outcome.json"), `${JSON.stringify(outcome, null, 2)}\n`);
  await writeFile(join(directory, "comment.md"), comment);
  // One of an earlier run must not lie beside this run's comment.
  await rm(join(directory, "reproduce.py"), { force: true });
  if (outcome.script !== null && outcome.symptom !== null) {
    await writeFile(join(directory, "reproduce.py"), writeScript(outcome.script, outcome.symptom));
  }
  return { outcome, comment, directory: relative(io.cwd, directory) || "." };
}

async function makeFolder(directory: string): Promise<void> {
  try {
    await makeFolders(directory);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageFault(`The folder for the results cannot be made: ${why}. Choose another with --out.`, {
      cause: error,
    });
  }
}

/** Step by step: Node's own recursive `mkdir` never ends where the system has no such place, as in `/proc`. */
async function makeFolders(directory: string): Promise<void> {
  try {
    await mkdir(directory);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "EEXIST" && (await stat(directory)).isDirectory()) return;
    if (code !== "ENOENT") throw error;
    await makeFolders(dirname(directory));
    await mkdir(directory);
  }
}

/** `runs/owner-name-12`, or by the title for an issue without number; a counter behind it when that is taken. */
function freeFolder(cwd: string, { repository, number, title }: Issue): string {
  const name = number === null ? title : `${repository ?? "issue"}-${number}`;
  const slug =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60) || "issue";
  for (let counter = 1; ; counter++) {
    const folder = join("runs", counter === 1 ? slug : `${slug}-${counter}`);
    if (!existsSync(resolve(cwd, folder))) return folder;
  }
}

/** 0 reproduced or flaky, 1 the run failed, 3 any other verdict. */
export function exitStatus(verdict: Verdict): number {
  if (verdict === "reproduced" || verdict === "flaky") return 0;
  return verdict === "failed" ? 1 : 3;
}
