import type { IndexKey, LexicalIndex } from "../ports/lexical-index.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import type { Attempt, Context } from "../types.ts";
import { adaptReporterCode } from "./adapt-reporter-code.ts";
import { attempt, type Trial } from "./attempt.ts";
import type { Executor } from "./deps.ts";

/** What came of the reporter's own code: an attempt, or why there is none. */
export type ReporterTry = { tried: true; attempt: Attempt; added: string[] } | { tried: false; reason: string };

/** The first candidate, at no cost: the code of the report, completed with the imports that it leaves out. */
export async function tryReporterCode(
  input: { code: string; trial: Trial; context: Context; key: IndexKey },
  deps: { sandbox: Sandbox; index: LexicalIndex; execute: Executor },
  signal: AbortSignal,
): Promise<ReporterTry> {
  const { code, trial, context, key } = input;
  const adapted = await adaptReporterCode({ code, place: trial.place, context, key }, deps, signal);
  if (!adapted.ok) return { tried: false, reason: adapted.reason };
  const made = await attempt({ number: 1, candidate: adapted.candidate, trial }, deps, signal);
  return { tried: true, attempt: made, added: adapted.added };
}
