import type { Outcome } from "../outcome.ts";
import { flipPhrase } from "../pipeline/decide-verdict.ts";
import { toNumber } from "../pipeline/judge/shared.ts";
import type { SymptomKind, Verdict } from "../types.ts";
import { capComment, fenceCode, inlineCode, plainText } from "./fence.ts";
import { redact } from "./redact.ts";
import { seriesChart } from "./series-chart.ts";
import { tellSymptom } from "./tell-symptom.ts";
import { writeScript } from "./write-script.ts";

/** GitHub's own limit for a comment, in characters. */
export const commentCharacters = 65_536;

/**
 * The comment for the issue, in GitHub's Markdown: verdict, observed beside reported, script, evidence, environment, log.
 * Redacted, free of mentions, references and closing keywords, within GitHub's size or less. `secrets` are left out literally.
 */
export function composeComment(
  outcome: Outcome,
  secrets: readonly string[] = [],
  mostCharacters: number = commentCharacters,
): string {
  const parts = [
    verdictLine(outcome),
    comparison(outcome),
    chart(outcome),
    script(outcome),
    evidence(outcome),
    environment(outcome),
    log(outcome),
    footer(outcome),
  ];
  const markdown = parts.filter((part) => part !== "").join("\n\n");
  return capComment(redact(`${markdown}\n`, secrets), mostCharacters);
}

const headings: Record<Verdict, string> = {
  reproduced: "Reproduced",
  flaky: "Reproduced in some runs",
  "different-symptom": "Fails, but not as reported",
  "not-reproduced": "Not reproduced",
  "needs-information": "More information is needed",
  "unsupported-environment": "Cannot be run here",
  "not-a-bug": "Not a report of a bug in the code",
  cancelled: "Cancelled",
  "budget-exhausted": "Stopped: the budget is used up",
  failed: "The bot failed; this says nothing about the bug",
};

function verdictLine({ verdict, reason, project }: Outcome): string {
  return `### ${headings[verdict]}${project === null ? "" : ` on ${tellProject(project)}`}\n\n${plainText(reason)}`;
}

/** With the commit, unless the label names it. */
function tellProject({ label, commit }: { label: string; commit: string }): string {
  const ref = label.slice(label.lastIndexOf("@") + 1);
  const isCommit = ref.length >= 7 && commit.startsWith(ref);
  return isCommit ? inlineCode(label) : `${inlineCode(label)} (${inlineCode(commit.slice(0, 12))})`;
}

function comparison({ reported, evidence, symptom, verdict }: Outcome): string {
  if (evidence === null || symptom === null) return "";
  const shows = verdict === "reproduced" || verdict === "flaky";
  const rows = [
    ["Reported", cell(reported.observed)],
    ["Expected", cell(reported.expected)],
    ["Looked for", tellSymptom(symptom)],
    [shows ? "Observed" : "Best so far", inlineCode(readable(evidence))],
  ].filter(([, text]) => text !== "");
  return [
    "| | |",
    "| --- | --- |",
    ...rows.map(([name, text = ""]) => `| **${name}** | ${text.replace(/(?<!\\)\|/g, "\\|")} |`),
  ].join("\n");
}

function cell(text: string): string {
  const line = plainText(text).replace(/\s+/g, " ").trim();
  return line.length > 400 ? `${line.slice(0, 399)}…` : line;
}

/** Long fractions cut to four significant digits. */
function readable(text: string): string {
  return text.replace(/-?\b\d+\.\d{4,}(e[+-]?\d+)?\b/gi, (number) => String(Number(Number(number).toPrecision(4))));
}

/** Fewer points are better read as numbers. */
const leastPoints = 6;

/** The series that the symptom speaks of, else the first that was observed. */
function chart({ symptom, observed }: Outcome): string {
  const isSeries = (name: string) => toSeries(observed[name]).length >= leastPoints;
  const ofSymptom = symptom !== null && "observation" in symptom ? [symptom.observation] : [];
  const name = [...ofSymptom, ...Object.keys(observed)].find(isSeries);
  if (name === undefined) return "";
  const title = name.replaceAll("_", " ");
  return seriesChart({
    title: `${title}, as observed`,
    xLabel: "step",
    yLabel: title,
    series: toSeries(observed[name]),
  });
}

function toSeries(value: unknown): number[] {
  const numbers = Array.isArray(value) ? value.map(toNumber) : [];
  return numbers.every((number) => number !== null) ? numbers : [];
}

function script({ script: source, symptom, verdict, scriptFrom, runs, spent }: Outcome): string {
  if (source === null || symptom === null) return "";
  const shows = verdict === "reproduced" || verdict === "flaky";
  const from = scriptFrom === "reporter" ? "The report's own code" : "A script that was written for it";
  const code = fenceCode(writeScript(source, symptom), "python");
  if (!shows) {
    const shown =
      runs.shown > 0 ? "it shows the symptom, but that was not confirmed" : "it did not show the reported symptom";
    return folded(`${from}; ${spent.executions === 0 ? "it was not run" : shown}`, code);
  }
  const how = [
    `${from}, as it was run, with the check as code. Save it as ${inlineCode("reproduce.py")} and run it with the checkout on the path:`,
    fenceCode("PYTHONPATH=path/to/checkout python reproduce.py; echo $?", "sh"),
    exitMeaning(symptom.kind),
  ];
  return ["#### Script", code, ...how].join("\n\n");
}

function exitMeaning(kind: SymptomKind): string {
  if (kind === "crash") return "It dies by the signal where the bug shows and ends with 0 where it does not.";
  const other = kind === "exception" ? "Any other exception" : "An exception before the check";
  return `It ends with 1 where the bug shows and with 0 where it does not. ${other} ends it with 1 too: its traceback tells.`;
}

function evidence({ runs, contrasts }: Outcome): string {
  if (runs.total === 0) return "";
  const lines = [`- ${runs.shown} of ${runs.total} runs with different seeds showed it.`];
  for (const contrast of contrasts) {
    const { flips, diff, cause, explanation } = contrast;
    const goes = flips ? "It goes away" : "It does not go away";
    lines.push(`- ${goes} ${plainText(flipPhrase(contrast))}: ${inlineCode(readable(explanation))}.`);
    if (!flips || diff === null) continue;
    const hint = `A hint to the cause, not a fix. ${plainText(cause ?? "")}`.trim();
    lines.push("", indent(`${hint}\n\n${fenceCode(diff, "diff")}`), "");
  }
  if (!contrasts.some(({ flips }) => flips)) {
    lines.push("- Nothing was found that makes it go away: this shows that it fails so, not that it should not.");
  }
  return ["#### Evidence", lines.join("\n").trimEnd()].join("\n\n");
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
}

function environment({ environment: used, project }: Outcome): string {
  if (used === null) return "";
  const { packages, substitutions } = used;
  const versions = Object.keys(packages)
    .sort()
    .map((name) => `${name}==${packages[name]}`);
  const key = ["torch", "numpy"].flatMap((name) => (packages[name] === undefined ? [] : [`${name} ${packages[name]}`]));
  const lines = [`- Python ${used.pythonVersion}, ${key.join(", ")}; ${plainText(used.sandbox)}; no network.`];
  if (!used.projectInstalled) lines.push("- The project was run from its folder; it was not installed.");
  if (project !== null && project.leftOut > 0)
    lines.push(`- ${project.leftOut} files of the repository were left out (too large, links, submodules).`);
  for (const { wanted, got, reason } of substitutions) {
    lines.push(`- ${inlineCode(wanted)} → ${inlineCode(got)}: ${plainText(reason)}`);
  }
  return ["#### Environment", lines.join("\n"), folded("Installed packages", fenceCode(versions.join("\n"), ""))].join(
    "\n\n",
  );
}

function log({ log: text, verdict }: Outcome): string {
  if (text.trim() === "") return "";
  const title = verdict === "unsupported-environment" ? "Log of the installation" : "Output of the script";
  return folded(title, fenceCode(text.trim(), "text"));
}

function folded(summary: string, content: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

function footer({ spent }: Outcome): string {
  const model =
    spent.modelCalls === 0
      ? "no language model was asked"
      : `${spent.modelCalls} calls of a language model, ${spent.promptTokens + spent.completionTokens} tokens`;
  const minutes = `${Math.round(spent.durationMs / 1000)} s`;
  return `<sub>Written by a program, RepGen bot, from what it ran: ${spent.executions} executions, ${model}, ${minutes}. A program judged the result.</sub>`;
}
