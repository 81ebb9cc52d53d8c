import type { LanguageModel } from "../ports/language-model.ts";
import type { Attempt, Plan } from "../types.ts";
import type { Trial } from "./attempt.ts";
import { fromAttempts } from "./decide-verdict.ts";
import type { RunDeps } from "./deps.ts";
import { type Ended, type Ground, keepAttempt, type Pursuit, reportOf } from "./finding.ts";
import { plan } from "./plan.ts";
import { pursuePlan } from "./pursue-plan.ts";
import { restate } from "./restate.ts";
import { quoteIssue } from "./restructure.ts";
import { tellHistory } from "./tell-history.ts";

type ModelDeps = RunDeps & { languageModel: LanguageModel };

/** With a model: restructure unless that is done, plan, and pursue the plan. The verdict is for when nothing shows. */
export async function tryModel(pursuit: Pursuit, ground: Ground, deps: ModelDeps, signal: AbortSignal): Promise<Ended> {
  const { finding, run, job } = pursuit;
  const triaged = finding.restructured ? null : await run.stage("restructure", () => restate(pursuit, deps, signal));
  if (triaged !== null) return triaged;
  const report = reportOf(finding);

  const made = await run.stage(
    "plan",
    () => {
      const issueText = quoteIssue(job.issue, job.hint);
      const history = tellHistory(finding.attempts);
      return plan({ report, context: ground.context, issueText, history }, deps, signal);
    },
    ({ symptom }) => tellSymptom(symptom),
  );
  const trial = trialOf(made, ground);
  finding.symptom = trial.symptom;

  const onAttempt = (attempt: Attempt) => keepAttempt(pursuit, attempt, trial);
  const { maxAttempts } = job.limits;
  const earlier = [...finding.attempts];
  await run.stage(
    "attempt",
    () =>
      pursuePlan(
        { report, plan: made, context: ground.context, trial, earlier, maxAttempts },
        { ...deps, onAttempt },
        signal,
      ),
    (attempts) => `${attempts.length - earlier.length} tried`,
  );
  return fromAttempts(finding.attempts, finding.environment, "");
}

function trialOf({ symptom, timeoutSeconds }: Plan, { context, place, seeds }: Ground): Trial {
  return { symptom, timeoutSeconds, packages: context.packages, place, seeds };
}

function tellSymptom(symptom: Plan["symptom"]): string {
  return "observation" in symptom ? `${symptom.kind} of ${symptom.observation}` : symptom.kind;
}
