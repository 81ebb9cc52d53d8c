import type { Sandbox } from "../ports/sandbox.ts";
import type { Report } from "../types.ts";
import type { Trial } from "./attempt.ts";
import { describeScript } from "./describe-script.ts";
import { isLoud } from "./judge/judge.ts";

/** Executions spent on neighbours. */
const mostNeighbours = 4;

/**
 * Scripts that differ from this one by a keyword argument that the report speaks of: what the reporter says makes the
 * difference, left out. Only for loud symptoms; a silent one could go away with what is observed.
 */
export async function neighbouringScripts(
  input: { source: string; report: Report; trial: Trial },
  deps: { sandbox: Sandbox },
  signal: AbortSignal,
): Promise<{ description: string; source: string }[]> {
  const { source, report, trial } = input;
  if (!isLoud(trial.symptom)) return [];
  const described = await describeScript(source, trial.place, deps, signal);
  if (!described.parses) return [];
  const spoken = new Set(proseOf(report).match(/[A-Za-z_]\w*/g));
  const lines = source.split("\n");
  return described.keywords
    .filter(({ name }) => name.length > 2 && spoken.has(name))
    .slice(0, mostNeighbours)
    .map((keyword) => ({
      description: `without ${keyword.name} in ${keyword.call}(…)`,
      source: cutSpan(lines, keyword),
    }));
}

/** Title and text outside code blocks: what the reporter names as making the difference. */
function proseOf({ title, read }: Report): string {
  const code = read.codeBlocks.map(({ text }) => text);
  const prose = read.sections.map(({ text }) => code.reduce((left, block) => left.replace(block, " "), text));
  return [title, ...prose].join("\n");
}

interface Span {
  startLine: number;
  startColumn: number;
  endLine: number;
  endColumn: number;
}

/** Columns are UTF-8 bytes. */
function cutSpan(lines: readonly string[], span: Span): string {
  const bytes = (line: number) => Buffer.from(lines[line - 1] ?? "");
  const head = [...lines.slice(0, span.startLine - 1), bytes(span.startLine).subarray(0, span.startColumn).toString()];
  const tail = [bytes(span.endLine).subarray(span.endColumn).toString(), ...lines.slice(span.endLine)];
  return head.join("\n") + tail.join("\n");
}
