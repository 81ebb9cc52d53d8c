import type { Attempt, Execution } from "../types.ts";

/** Tails and scripts in the history are cut to this many characters. */
const scriptCharacters = 3000;
const outputCharacters = 800;

/** The attempts so far, oldest first, in the harness's own terms: script, then what was wrong with it or what it did. */
export function tellHistory(attempts: readonly Attempt[]): string {
  return withoutPlaces(attempts.map(tellAttempt).join("\n\n"));
}

/** Where an environment lies says nothing to a model, and differs from host to host. */
function withoutPlaces(text: string): string {
  return text.replace(/\/env\/[0-9a-f]+\//g, "/env/");
}

function tellAttempt({ number, candidate, validation, execution, judgement }: Attempt): string {
  const parts = [`Script ${number}:`, "```python", candidate.source.slice(0, scriptCharacters).trimEnd(), "```"];
  if (!validation.ok) {
    parts.push("It was not run:", ...validation.problems.map(({ line, message }) => `- line ${line}: ${message}`));
  }
  if (execution !== null) parts.push(...tellExecution(execution));
  if (judgement !== null && !judgement.shows)
    parts.push(`Judged: ${verdicts[judgement.because]}: ${judgement.explanation}.`);
  return parts.join("\n");
}

const verdicts = {
  "ran-clean": "the symptom does not show",
  "different-symptom": "something else went wrong in the project's code",
  "set-up": "a fault of the script's own set-up, not the bug",
  "not-observed": "the observation is missing",
  "not-the-project": "the project's code was not involved",
  "took-too-long": "too slow; use smaller sizes",
} as const;

function tellExecution({ ending, observed, stdout, stderr }: Execution): string[] {
  const lines: string[] = [];
  if (ending.how === "exception") {
    const frames = ending.chain[0]?.frames.filter((frame) => frame.in !== "library").slice(-4) ?? [];
    lines.push(...frames.map(({ file, line, function: name, code }) => `  ${file}:${line} in ${name}: ${code ?? ""}`));
  }
  if (Object.keys(observed).length > 0) lines.push(`observed = ${JSON.stringify(observed).slice(0, outputCharacters)}`);
  const output = (stdout.trim() === "" ? stderr : stdout).trim();
  if (output !== "" && ending.how !== "exception") lines.push(`It printed: ${output.slice(-outputCharacters)}`);
  return lines;
}
