import type { Trial } from "../../src/pipeline/attempt.ts";
import type { Attempt, Judgement, Place, Report } from "../../src/types.ts";
import { readOf } from "../pipeline/make-index.ts";
import { execution } from "./executions.ts";

/** A trial for a RuntimeError; `changes` replace its parts. */
export function trialAt(place: Place, changes: Partial<Trial> = {}): Trial {
  const symptom = { kind: "exception", type: "RuntimeError", message: null, where: null } as const;
  return { symptom, timeoutSeconds: 60, packages: ["toy"], place, seeds: [0], ...changes };
}

/** An attempt of a model's script that was run and judged. */
export function judged(judgement: Judgement, changes: Partial<Attempt> = {}): Attempt {
  return {
    number: 1,
    candidate: { source: "import toy\n", from: "model" },
    validation: { ok: true },
    execution: execution(),
    judgement,
    ...changes,
  };
}

export function report(changes: Partial<Report> = {}): Report {
  return {
    title: "Shapes are mixed up",
    problem: "The forward pass raises.",
    observed: "RuntimeError",
    expected: "It runs.",
    steps: ["Call the model"],
    symptom: null,
    read: readOf({}),
    ...changes,
  };
}
