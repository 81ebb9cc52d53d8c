import { join } from "node:path";
import { prepareEnvironment } from "../environment/prepare-environment.ts";
import { isIntermittent } from "../issue/is-intermittent.ts";
import { readIssue } from "../issue/read-issue.ts";
import { readSymptom } from "../issue/read-symptom.ts";
import { triageByProgram } from "../issue/triage-by-program.ts";
import { copyCheckout } from "../source/copy-checkout.ts";
import type { Checkout, Place } from "../types.ts";
import { seedsFor } from "./attempt.ts";
import { buildContext } from "./build-context.ts";
import { confirmAttempt } from "./confirm-attempt.ts";
import { sourceAt } from "./contrast.ts";
import { fromAttempts, fromTriage } from "./decide-verdict.ts";
import type { RunDeps } from "./deps.ts";
import { type Ended, type Ground, keepAttempt, type Pursuit, reportOf } from "./finding.ts";
import { indexRepository } from "./index-repository.ts";
import { prepareRepository } from "./prepare-repository.ts";
import { restate } from "./restate.ts";
import { restructureByProgram } from "./restructure.ts";
import { retrieve } from "./retrieve.ts";
import { triageByLinks } from "./triage-by-links.ts";
import { tryModel } from "./try-model.ts";
import { tryReporterCode } from "./try-reporter-code.ts";

/** The flow from report to verdict; each stage once, in order. What becomes known goes into the finding at once. */
export async function pursueIssue(pursuit: Pursuit, deps: RunDeps, signal: AbortSignal): Promise<Ended> {
  const early = await understand(pursuit, deps, signal);
  if (early !== null) return early;

  const checkout = await fetchProject(pursuit, deps, signal);
  const documentation = await triageByLinks(reportOf(pursuit.finding).read, checkout);
  if (documentation !== null) return fromTriage(documentation);

  const ground = await prepare(pursuit, checkout, deps, signal);
  const tried = await tryScripts(pursuit, ground, deps, signal);
  if (pursuit.finding.shown === null) return tried;

  return await confirmAttempt(pursuit, ground, deps, signal);
}

const modelNeeded = "A language model is needed to go on: set OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL.";

/** Reads the report; ends the run here when it is nothing to try. The model is asked only when there is no code to run first. */
async function understand(pursuit: Pursuit, deps: RunDeps, signal: AbortSignal): Promise<Ended | null> {
  const { job, finding, run } = pursuit;
  return await run.stage("restructure", async () => {
    const read = readIssue(job.issue);
    const symptom = readSymptom(read, job.issue);
    finding.report = restructureByProgram(job.issue, read, symptom);
    const triage = triageByProgram(job.issue, read);
    if (triage !== null && triage.is !== "bug") return fromTriage(triage);
    if (read.runnableCode !== null && symptom !== null) return null;
    if (deps.languageModel === null) {
      return { verdict: "failed", reason: `The report carries no code that shows an error by itself. ${modelNeeded}` };
    }
    return await restate(pursuit, { languageModel: deps.languageModel }, signal);
  });
}

/** The run's own copy of the checkout: building the project writes to it. */
async function fetchProject({ job, finding, run }: Pursuit, deps: RunDeps, signal: AbortSignal): Promise<Checkout> {
  const checkout = await run.stage(
    "prepare repository",
    async () => {
      const kept = await prepareRepository(job.source, deps, signal);
      // Fetched now, so that a wrong name ends the run before it costs anything.
      if (job.contrastRef !== null) await prepareRepository(sourceAt(job.source, job.contrastRef), deps, signal);
      const path = join(deps.workDirectory, "project");
      await copyCheckout(kept, path);
      return { ...kept, path };
    },
    ({ label, commit, leftOut }) =>
      `${label} at ${commit.slice(0, 10)}${leftOut.length > 0 ? `, ${leftOut.length} left out` : ""}`,
  );
  finding.checkout = checkout;
  return checkout;
}

async function prepare(pursuit: Pursuit, checkout: Checkout, deps: RunDeps, signal: AbortSignal): Promise<Ground> {
  const { job, finding, run } = pursuit;
  const { key } = await run.stage(
    "index",
    () => indexRepository(checkout, { ...deps, leaveOut: job.settings?.leaveOut ?? [] }, signal),
    ({ files, chunks }) => (files === 0 ? "kept from before" : `${chunks} chunks of ${files} files`),
  );
  const { read } = reportOf(finding);
  const context = await run.stage(
    "retrieve",
    async () => {
      const retrieved = await retrieve({ issue: job.issue, read, checkout, key }, deps, signal);
      return await buildContext({ read, retrieved, checkout, key }, deps, signal);
    },
    ({ snippets }) =>
      snippets
        .slice(0, 3)
        .map(({ chunk }) => chunk.symbol)
        .join(", "),
  );
  const environment = await run.stage(
    "prepare environment",
    () =>
      prepareEnvironment(
        {
          checkout,
          versions: read.versions,
          python: job.python,
          withPackages: job.withPackages,
          ...(job.settings === undefined ? {} : { setup: job.settings.setup }),
        },
        deps,
        signal,
      ),
    ({ pythonVersion, packages }) => `Python ${pythonVersion}, ${Object.keys(packages).length} packages`,
  );
  finding.environment = environment;
  const place: Place = { checkout, environment, memoryBytes: job.memoryBytes, gpus: job.gpus };
  const seeds = seedsFor(isIntermittent(`${job.issue.title}\n${job.issue.body}`), job.runs);
  return { place, context, key, seeds };
}

/** The reporter's code first, then the model's; stops at the first that shows the symptom. The verdict is for when none does. */
async function tryScripts(pursuit: Pursuit, ground: Ground, deps: RunDeps, signal: AbortSignal): Promise<Ended> {
  const { finding, run } = pursuit;
  const { read, symptom } = reportOf(finding);
  let note = "";
  if (read.runnableCode !== null && symptom !== null) {
    const code = read.runnableCode;
    const { context, place, seeds } = ground;
    const trial = { symptom, timeoutSeconds: 60, packages: context.packages, place, seeds };
    const tried = await run.stage(
      "reporter's code",
      () => tryReporterCode({ code, trial, context, key: ground.key }, deps, signal),
      (result) => (result.tried ? "" : `not runnable: ${result.reason}`),
    );
    if (tried.tried) {
      keepAttempt(pursuit, tried.attempt, trial);
      if (finding.shown !== null) return fromAttempts(finding.attempts, finding.environment, "");
    } else note = `The report's own code could not be run: ${tried.reason}.`;
  }
  if (deps.languageModel === null)
    return fromAttempts(finding.attempts, finding.environment, `${note} ${modelNeeded}`.trim());
  return await tryModel(pursuit, ground, { ...deps, languageModel: deps.languageModel }, signal);
}
