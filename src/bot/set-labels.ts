import type { Desk } from "../ports/desk.ts";
import type { Verdict } from "../types.ts";
import type { FoundSettings } from "./find-settings.ts";
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

/** Takes the trigger away and puts the outcome's label in the place of the one that an earlier run has set. */
export async function setLabels(
  verdict: Verdict,
  record: IssueRecord,
  { home }: RunRequest,
  settings: FoundSettings,
  desk: Desk,
): Promise<void> {
  const { fullName } = home.repository;
  const label = { ...defaultLabels, ...settings.labels }[verdict] ?? null;
  for (const earlier of record.labels.filter((name) => name !== label)) {
    await desk.removeLabel(fullName, home.issueNumber, earlier);
  }
  record.labels = record.labels.filter((name) => name === label);
  if (label !== null) {
    await desk.addLabel(fullName, home.issueNumber, { name: label, ...(looks[verdict] ?? otherLook) });
    record.labels = [label];
  }
  await desk.removeLabel(fullName, home.issueNumber, settings.label);
}
