import type { Outcome } from "../../src/outcome.ts";

/** A silent bug that was reproduced; `changes` replace its parts. */
export function outcome(changes: Partial<Outcome> = {}): Outcome {
  return {
    version: 1,
    verdict: "reproduced",
    reason: "The symptom shows in 3 of 3 runs. It goes away with a change in tinyfit/trainer.py.",
    issue: { repository: "example-org/tinyfit", number: 7, title: "Loss climbs", url: null },
    project: { label: "https://github.com/example-org/tinyfit@main", commit: "0123456789abcdef", leftOut: 0 },
    reported: { observed: "The loss climbs from 1.2 to 500.", expected: "The loss falls." },
    symptom: { kind: "metric", observation: "train_loss", trend: "not-falling" },
    script: 'from tinyfit import Trainer\nobserved = {"train_loss": Trainer().fit()}\n',
    scriptFrom: "model",
    evidence: "train_loss goes from 1.2 to 500 over 10 steps: it does not fall",
    observed: { train_loss: [1.2, 2.5, 8, 32, 73, 124, 256, 354, 416, 500] },
    runs: { total: 3, shown: 3 },
    contrasts: [
      {
        by: "candidate-change",
        description: "a change in tinyfit/trainer.py",
        diff: "--- a/tinyfit/trainer.py\n+++ b/tinyfit/trainer.py\n@@ -1 +1,2 @@\n+optimizer.zero_grad()\n loss.backward()\n",
        flips: true,
        explanation: "train_loss goes from 1.2 to 0.1 over 10 steps",
        cause: "The gradients are never zeroed.",
      },
    ],
    environment: {
      pythonVersion: "3.11.2",
      sandbox: "bubblewrap 0.8.0",
      packages: { torch: "2.13.0+cpu", numpy: "2.4.6", einops: "0.8.2" },
      substitutions: [{ wanted: "torch==1.9", got: "torch 2.13.0", reason: "no wheel for Python 3.11" }],
      projectInstalled: true,
    },
    log: "epoch 1\nepoch 2",
    spent: {
      durationMs: 61_000,
      attempts: 1,
      modelCalls: 4,
      promptTokens: 9000,
      completionTokens: 1000,
      executions: 5,
    },
    ...changes,
  };
}
