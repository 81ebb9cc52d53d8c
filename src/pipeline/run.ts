import { BudgetFault } from "../errors.ts";
import type { RunLimits } from "../job.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import type { Attempt, Confirmation, Execution } from "../types.ts";

/** What a watcher of the run is told. */
export type Progress =
  | { type: "stage-started"; stage: string; spent: Spent }
  | { type: "stage-ended"; stage: string; durationMs: number; detail: string; failed: boolean; spent: Spent }
  | { type: "note"; stage: string; text: string };

export interface Spent {
  attempts: number;
  modelCalls: number;
  promptTokens: number;
  completionTokens: number;
  executions: number;
}

/** What happened, in order; the body of `trajectory.json`. */
export type TrajectoryEvent = { atMs: number } & (
  | { event: "stage"; stage: string; durationMs: number; detail: string; error: string | null }
  | {
      event: "model-call";
      stage: string;
      system: string;
      user: string;
      reply: string | null;
      error: string | null;
      durationMs: number;
    }
  | { event: "execution"; source: string; execution: Execution }
  | { event: "attempt"; attempt: Omit<Attempt, "execution"> }
  | { event: "confirmation"; confirmation: Confirmation }
);
type NewEvent = TrajectoryEvent extends infer E ? (E extends unknown ? Omit<E, "atMs"> : never) : never;

/** One run's clock, budget and record. */
export interface Run {
  spent: Spent;
  events: TrajectoryEvent[];
  elapsedMs(): number;
  record(event: NewEvent): void;
  note(text: string): void;
  /** Runs a stage: timed, recorded, told to the watcher; errors pass through. `describe` puts the result in a few words. */
  stage<T>(name: string, action: () => Promise<T>, describe?: (result: T) => string): Promise<T>;
  /** The same model, with each call counted, recorded, and refused when it does not fit the budget. */
  meter(model: LanguageModel): LanguageModel;
  /** @throws {BudgetFault} the time is used up. */
  checkTime(): void;
}

export function startRun(limits: RunLimits, onProgress: (progress: Progress) => void): Run {
  const startedAt = performance.now();
  const running: string[] = [];
  const run: Run = {
    spent: { attempts: 0, modelCalls: 0, promptTokens: 0, completionTokens: 0, executions: 0 },
    events: [],
    elapsedMs: () => Math.round(performance.now() - startedAt),
    record(event) {
      run.events.push({ atMs: run.elapsedMs(), ...event });
    },
    note(text) {
      onProgress({ type: "note", stage: running.at(-1) ?? "", text });
    },
    async stage(name, action, describe = () => "") {
      const from = performance.now();
      running.push(name);
      onProgress({ type: "stage-started", stage: name, spent: { ...run.spent } });
      const end = (detail: string, error: string | null) => {
        running.splice(running.lastIndexOf(name), 1);
        const durationMs = Math.round(performance.now() - from);
        run.record({ event: "stage", stage: name, durationMs, detail, error });
        onProgress({
          type: "stage-ended",
          stage: name,
          durationMs,
          detail: error ?? detail,
          failed: error !== null,
          spent: { ...run.spent },
        });
      };
      try {
        const result = await action();
        end(describe(result), null);
        return result;
      } catch (error) {
        end("", error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
    meter: (model) => meterLanguageModel(model, run, limits),
    checkTime() {
      if (run.elapsedMs() >= limits.maxDurationMs) {
        throw new BudgetFault(`The ${Math.round(limits.maxDurationMs / 1000)} seconds for this issue are used up.`);
      }
    },
  };
  return run;
}

function meterLanguageModel(model: LanguageModel, run: Run, limits: RunLimits): LanguageModel {
  return {
    description: model.description,
    async complete(request, signal) {
      run.checkTime();
      const used = run.spent.promptTokens + run.spent.completionTokens;
      const needed = Math.ceil((request.system.length + request.user.length) / 4) + request.maxTokens;
      if (used + needed > limits.maxTokens) {
        throw new BudgetFault(
          `The next call could take ${needed} tokens, and of ${limits.maxTokens} for this issue ${used} are used.`,
        );
      }
      const from = performance.now();
      run.spent.modelCalls += 1;
      const call = { event: "model-call", stage: request.stage, system: request.system, user: request.user } as const;
      try {
        const completion = await model.complete(request, signal);
        run.spent.promptTokens += completion.promptTokens;
        run.spent.completionTokens += completion.completionTokens;
        run.record({ ...call, reply: completion.text, error: null, durationMs: Math.round(performance.now() - from) });
        return completion;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        run.record({ ...call, reply: null, error: message, durationMs: Math.round(performance.now() - from) });
        throw error;
      }
    },
  };
}
