import type { Sandbox } from "../ports/sandbox.ts";
import { executionSeconds, type Trial } from "./attempt.ts";
import type { Executor } from "./deps.ts";
import { describeScript } from "./describe-script.ts";
import { judge } from "./judge/judge.ts";

/** Executions that shortening may cost. */
const mostExecutions = 10;

export interface MinimiseInput {
  source: string;
  trial: Trial;
  /** Where the symptom goes away, if such a place is known: the shorter script must still run clean there. */
  contrastTrial: Trial | null;
  /** How many seeds have to show it: as many as confirmed the whole script. */
  runs: number;
}

/**
 * Leaves top-level statements out, halves first, as long as the judge still agrees, and as long as the contrast still
 * tells the two apart. Returns the source as it is when nothing can go.
 */
export async function minimise(
  input: MinimiseInput,
  deps: { sandbox: Sandbox; execute: Executor },
  signal: AbortSignal,
): Promise<string> {
  const { source, trial, contrastTrial } = input;
  const described = await describeScript(source, trial.place, deps, signal);
  if (!described.parses) return source;
  const lines = source.split("\n");
  const cost = contrastTrial === null ? 1 : 2;
  let executions = 0;
  const agrees = async (kept: Statement[]) => {
    const shorter = join(lines, kept);
    const told = await describeScript(shorter, trial.place, deps, signal);
    if (!told.parses || told.undefinedNames.length > 0) return false;
    executions += 1;
    if (!(await shows(shorter, trial, deps, signal))) return false;
    if (contrastTrial === null) return true;
    executions += 1;
    return await runsClean(shorter, contrastTrial, deps, signal);
  };
  const whole = wholeLines(described.statements);
  let kept = whole;
  for (let size = kept.length >> 1; size >= 1; size >>= 1) {
    // From the end: what follows the symptom goes first.
    for (let from = Math.max(0, kept.length - size); from >= 0; from -= size) {
      if (executions + cost > mostExecutions) break;
      const shorter = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (shorter.length > 0 && shorter.length < kept.length && (await agrees(shorter))) kept = shorter;
    }
  }
  const shortest = join(lines, kept);
  return kept !== whole && (await showsAlways(shortest, input, deps, signal)) ? shortest : source;
}

/** With the seeds that the search did not use. */
async function showsAlways(
  source: string,
  { trial, runs }: MinimiseInput,
  deps: { execute: Executor },
  signal: AbortSignal,
): Promise<boolean> {
  for (let seed = 1; seed < runs; seed++) {
    if (!judge(await executeOnce({ source, seed }, trial, deps, signal), trial.symptom).shows) return false;
  }
  return true;
}

interface Statement {
  startLine: number;
  endLine: number;
}

/** Statements that share a line (`a = 1; b = 2`) are one. */
function wholeLines(statements: readonly Statement[]): Statement[] {
  const whole: Statement[] = [];
  for (const { startLine, endLine } of statements) {
    const before = whole.at(-1);
    if (before !== undefined && startLine <= before.endLine) before.endLine = endLine;
    else whole.push({ startLine, endLine });
  }
  return whole;
}

function join(lines: readonly string[], statements: readonly Statement[]): string {
  return `${statements.map(({ startLine, endLine }) => lines.slice(startLine - 1, endLine).join("\n")).join("\n")}\n`;
}

async function shows(source: string, trial: Trial, deps: { execute: Executor }, signal: AbortSignal): Promise<boolean> {
  return judge(await executeOnce({ source, seed: 0 }, trial, deps, signal), trial.symptom).shows;
}

async function runsClean(
  source: string,
  trial: Trial,
  deps: { execute: Executor },
  signal: AbortSignal,
): Promise<boolean> {
  const judgement = judge(await executeOnce({ source, seed: 0 }, trial, deps, signal), trial.symptom);
  return !judgement.shows && judgement.because === "ran-clean";
}

function executeOnce(
  script: { source: string; seed: number },
  trial: Trial,
  deps: { execute: Executor },
  signal: AbortSignal,
) {
  return deps.execute({ ...script, timeoutSeconds: executionSeconds(trial) }, trial.place, signal);
}
