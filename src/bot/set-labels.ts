import type { Desk } from "../ports/desk.ts";
import type { Verdict } from "../types.ts";
import { defaultLabels } from "./repository-settings.ts";
import type { IssueRecord, RunRequest } from "./types.ts";

/** Of a label that the repository does not have yet: a colour-blind safe palette, and what it says. */
const looks: Partial<Record<Verdict, { color: string; description: string }>> = {
  reproduced: { color: "d55e00", description: "A script shows the bug" },
  flaky: { color: "e69f00", description: "A script shows the bug in some runs" },
  "different-symptom": { color: "cc79a7", description: "It fails, but not as reported" },
  "not-reproduced": { color: "0072b2", description: "The bug was looked for and did not show" },
  "needs-information": { color: "f0e442", description: "The reporter was asked for something" },
  "unsupported-environment": { color: "999999", description: "The bug cannot be run on the bot's machines" },
  "not-a-bug": { color: "56b4e9", description: "A question, or about the documentation" },
};
const otherLook = { color: "999999", description: "Set by the bot that reproduces bugs" };

/**
 * Takes the trigger away and puts the outcome's label in the place of the one that an earlier run has set. One that
 * somebody else has set already is theirs, and stays when the next run ends otherwise.
 */
export async function setLabels(
  { verdict, record, keep }: { verdict: Verdict; record: IssueRecord; keep: () => Promise<void> },
  { home, labels }: RunRequest,
  desk: Desk,
): Promise<void> {
  const { fullName } = home.repository;
  const label = { ...defaultLabels, ...labels.outcomes }[verdict] ?? null;
  for (const earlier of record.labels.filter((name) => name !== label)) {
    await desk.removeLabel(fullName, home.issueNumber, earlier);
  }
  record.labels = record.labels.filter((name) => name === label);
  if (label !== null && !(await hasLabel(label, fullName, home.issueNumber, desk))) {
    // Known as the bot's own before it is there, or a crash between would make it somebody else's.
    record.labels = [label];
    await keep();
    await desk.addLabel(fullName, home.issueNumber, { name: label, ...(looks[verdict] ?? otherLook) });
  }
  await desk.removeLabel(fullName, home.issueNumber, labels.trigger);
}

/** GitHub tells labels apart by their letters, not by their case. */
async function hasLabel(label: string, repository: string, issue: number, desk: Desk): Promise<boolean> {
  const labels = await desk.labelsOf(repository, issue);
  return labels.some((name) => name.toLowerCase() === label.toLowerCase());
}
