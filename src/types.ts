/**
 * The nouns that travel between the stages, in the order they appear in a run.
 *
 * Words, used for nothing else: **issue** what GitHub has; **report** the issue restructured; **symptom** a typed,
 * checkable statement; **context** what the model is shown; **plan** what to build and observe; **candidate** a script;
 * **validation** static checks of it; **execution** what happened when it ran; **judgement** execution against symptom;
 * **attempt** one pass generate → judge; **confirmation** repeats and contrast; **outcome** the end of a run.
 *
 * Line numbers are 1-based and ranges inclusive. Paths of the project are relative to its checkout, with `/`.
 */
import { z } from "zod";

// ── issue ────────────────────────────────────────────────────────────────────

/** An issue as it was read, before anything is understood of it. Hostile text. */
export interface Issue {
  /** `owner/name`, or null for an issue that came from a file without one. */
  repository: string | null;
  /** The issue's number, or null for one without. */
  number: number | null;
  title: string;
  body: string;
  /** ISO 8601, or null when unknown. */
  createdAt: string | null;
  /** Where a person can read it, or null. */
  url: string | null;
}

/** A fenced or indented code block of the issue. */
export interface CodeBlock {
  /** The fence's info string in lower case, empty for none. */
  language: string;
  text: string;
  /** Line of the body where the code starts. */
  startLine: number;
}

/** One frame of a Python traceback, outermost first. */
export interface Frame {
  /** As printed, or relative to the checkout when the harness reports it for a project file. */
  file: string;
  line: number;
  function: string;
  /** The source line when it was printed. */
  code: string | null;
}

/** A traceback printed in the issue. */
export interface ReportedTraceback {
  /** Class name as printed: `RuntimeError`, `einops.EinopsError`. */
  type: string;
  message: string;
  frames: Frame[];
}

/** A link to lines of a file at a commit of the project. */
export interface Permalink {
  repository: string;
  /** Commit, tag or branch. */
  ref: string;
  path: string;
  startLine: number | null;
  endLine: number | null;
}

/** What a program reads in an issue; the model never overwrites it. */
export interface ReadIssue {
  /** Issue-form headings (`### Expected behavior`) and the text under each, in order; the text before the first has heading "". */
  sections: { heading: string; text: string }[];
  codeBlocks: CodeBlock[];
  /** Python the reporter means to be run, fences and prompts (`>>>`) removed, joined in order when it comes in pieces; null when there is none. */
  runnableCode: string | null;
  tracebacks: ReportedTraceback[];
  permalinks: Permalink[];
  /** Paths of Python files named anywhere in the issue. */
  paths: string[];
  /** Identifiers in code spans, code blocks and the title: candidates for definitions in the project, most specific first. */
  identifiers: string[];
  /** Package → version as reported, lower-case distribution names; `python` among them. */
  versions: Record<string, string>;
  /** Changes that the reporter proposes: unified diffs, or a line and its replacement. */
  suggestedChanges: SuggestedChange[];
  /** Refs or releases that the reporter says work ("worked in 1.2.0"). */
  worksIn: string[];
}

/** A change to the project, as the reporter or the model proposes it. */
export const SuggestedChange = z.discriminatedUnion("form", [
  z.object({ form: z.literal("diff"), diff: z.string() }),
  z.object({
    form: z.literal("replace"),
    /** Null when the report does not say which file. */
    path: z.string().nullable(),
    search: z.string(),
    replace: z.string(),
  }),
]);
export type SuggestedChange = z.infer<typeof SuggestedChange>;

// ── report ───────────────────────────────────────────────────────────────────

/** What must hold of an observation where the bug is absent. */
export const Relation = z.enum(["equals", "differs", "less", "at-most", "greater", "at-least"]);
export type Relation = z.infer<typeof Relation>;

/** `3 is … 4`, for people. */
export const relationWords: Record<Relation, string> = {
  equals: "equal to",
  differs: "different from",
  less: "less than",
  "at-most": "at most",
  greater: "greater than",
  "at-least": "at least",
};

const observation = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "an observation's name is a Python identifier")
  .describe("key of the script's `observed` dictionary");

/** A typed, checkable statement of how the bug shows. Decided before any code is generated. */
export const Symptom = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("exception"),
    /** Class name without its module, or null when the report only says that there is an error. */
    type: z.string().nullable(),
    /** Distinctive part of the message, or null. */
    message: z.string().nullable(),
    /** Project function or file in which it is raised, or null. */
    where: z.string().nullable(),
  }),
  z.object({
    kind: z.literal("crash"),
    signal: z
      .string()
      .regex(/^SIG[A-Z0-9]+$/)
      .nullable(),
  }),
  z.object({ kind: z.literal("hang"), afterSeconds: z.number().positive().max(600) }),
  z.object({ kind: z.literal("not-finite"), observation }),
  z.object({
    kind: z.literal("wrong-value"),
    observation,
    relation: Relation,
    /** A number, a string, a boolean, null, or (nested) lists of them; or the name of another observation. */
    reference: z.union([z.object({ value: z.json() }), z.object({ observation })]),
    /** Absolute tolerance for numbers. */
    tolerance: z.number().nonnegative().default(0),
  }),
  z.object({
    kind: z.literal("metric"),
    /** Names a list of numbers, in the order of the steps. */
    observation,
    /** The way the series goes wrong. */
    trend: z.enum(["not-falling", "not-rising", "diverging", "stuck"]),
  }),
  z.object({
    kind: z.literal("resource"),
    /** A list of bytes or seconds, in the order of the steps (growth), or one number (ratio). */
    observation,
    measure: z.enum(["memory-growth", "time-ratio"]),
    /** Bytes a step that is already wrong, or the ratio that is already wrong. */
    atLeast: z.number().positive(),
  }),
  z.object({
    kind: z.literal("warning"),
    /** Warning class name, or null for any. */
    category: z.string().nullable(),
    message: z.string().nullable(),
  }),
]);
export type Symptom = z.infer<typeof Symptom>;

/** `the loss … does not fall`, for people. */
export const trendWords: Record<Extract<Symptom, { kind: "metric" }>["trend"], string> = {
  "not-falling": "does not fall",
  "not-rising": "does not rise",
  diverging: "diverges",
  stuck: "does not move",
};
export type SymptomKind = Symptom["kind"];

/** The issue restructured. */
export interface Report {
  title: string;
  problem: string;
  observed: string;
  expected: string;
  steps: string[];
  /** Null while it is not decided (silent bugs get theirs in the plan). */
  symptom: Symptom | null;
  read: ReadIssue;
}

/** What triage says of an issue. */
export type Triage =
  | { is: "bug" }
  | { is: "not-a-bug"; why: string }
  | { is: "needs-information"; missing: string }
  | { is: "unsupported-environment"; needs: string };

// ── repository ───────────────────────────────────────────────────────────────

/** Where a repository comes from. */
export type RepositorySource =
  | { from: "git"; url: string; ref: string | null }
  | { from: "pypi"; name: string; version: string };

/** Something of the commit that is not in the checkout, and why. */
export interface LeftOut {
  path: string;
  reason: "too-large" | "missing-object" | "submodule" | "lfs-pointer" | "link-outside" | "unsafe-path" | "not-utf8";
}

/** One commit's files in a folder of their own; no `.git`, no links that leave it. */
export interface Checkout {
  /** Absolute path on this host. */
  path: string;
  /** Full commit id; for a PyPI release, the id of the commit made of it. */
  commit: string;
  /** `https://…@ref` or `pypi:name==version`, for people. */
  label: string;
  leftOut: LeftOut[];
  /** Unified diff of what was changed in this copy of the commit; absent where nothing was. */
  change?: string;
}

/** A function, method, class head or module-level code of the project. */
export interface Chunk {
  path: string;
  startLine: number;
  endLine: number;
  kind: "function" | "method" | "class" | "module";
  /** Dotted within the file: `Attention.forward`; the module's own name for module-level code. */
  symbol: string;
  text: string;
}

export interface RetrievedChunk {
  chunk: Chunk;
  score: number;
  /** Why it is there: `traceback`, `permalink`, `path`, `identifier`, `bm25`. */
  because: string[];
}

/** What the model is shown of the project. */
export interface Context {
  /** Import name of the project's package(s), such as `x_transformers`. */
  packages: string[];
  snippets: RetrievedChunk[];
  /** An excerpt of the README that shows how the project is used; empty for none. */
  usage: string;
}

// ── environment ──────────────────────────────────────────────────────────────

/** Where candidates run: a Python with the project and what it needs. */
export interface Environment {
  /** Interpreter inside the sandbox. */
  python: string;
  pythonVersion: string;
  /** Read-only folders that the interpreter needs, host path → sandbox path. */
  mounts: { hostPath: string; sandboxPath: string }[];
  /** Distribution → version, as installed. */
  packages: Record<string, string>;
  /** What is not as reported or required, and why. */
  substitutions: { wanted: string; got: string; reason: string }[];
  /** Folders put on `PYTHONPATH`, inside the sandbox. */
  pythonPath: string[];
  /** False when a package was built but the project itself would not install (it then runs from its path). */
  projectInstalled: boolean;
}

/** Where executions happen: what they run on and how much they may take. */
export interface Place {
  checkout: Checkout;
  environment: Environment;
  memoryBytes: number;
  /** UUIDs or indices; none for an empty list. */
  gpus: readonly string[];
}

/** What a program can tell of a script without running it. Columns are 0-based UTF-8 byte offsets, as in Python's `ast`. */
export type ScriptDescription =
  | { parses: false; message: string; line: number }
  | {
      parses: true;
      /** Names that are read and never bound, builtins left out, by first use. */
      undefinedNames: { name: string; line: number }[];
      /** Top-level statements in order. */
      statements: { startLine: number; endLine: number }[];
      /** Keyword arguments of calls; cutting out the span leaves a valid call. */
      keywords: {
        name: string;
        call: string;
        startLine: number;
        startColumn: number;
        endLine: number;
        endColumn: number;
      }[];
    };

// ── plan and attempts ────────────────────────────────────────────────────────

export interface Plan {
  /** Fixed before any run. */
  symptom: Symptom;
  steps: string[];
  /** What the script puts into `observed`, by name. */
  observations: { name: string; meaning: string }[];
  /** Seconds a correct script should need at most. */
  timeoutSeconds: number;
}

export interface Candidate {
  /** Python source, without the check that is appended for people. */
  source: string;
  from: "reporter" | "model";
}

/** Why a candidate is not run. Kinds: it does not parse; a name, module or argument does not exist; it only pretends. */
export interface Problem {
  kind: "syntax" | "unknown-import" | "unknown-name" | "unknown-argument" | "mimic" | "forbidden" | "no-observation";
  line: number;
  message: string;
}

export type Validation = { ok: true } | { ok: false; problems: Problem[] };

/** A raised exception, with what caused it, as the harness reports it. */
export interface RaisedException {
  /** Class name with module, builtins without: `RuntimeError`, `einops.EinopsError`. */
  type: string;
  /** Names of the class and its bases without module, most specific first, `object` left out. */
  bases: string[];
  message: string;
  /** Outermost first; project files relative to the checkout. */
  frames: (Frame & { in: "script" | "project" | "library" })[];
}

/** How an execution ended. */
export type Ending =
  | { how: "completed"; exitCode: number }
  | { how: "exception"; chain: RaisedException[] }
  /** The Python stack where it died; empty when it could not be told. */
  | { how: "signal"; signal: string; stack: RaisedException["frames"] }
  | { how: "timeout"; stack: RaisedException["frames"] }
  | { how: "limit"; limit: "memory" | "processes" | "disk" };

/** What happened when a candidate ran, told by the harness and the sandbox, not by the candidate's words. */
export interface Execution {
  seed: number;
  ending: Ending;
  /** The candidate's `observed` dictionary as JSON; NaN and infinities are the strings "NaN", "Infinity", "-Infinity". */
  observed: Record<string, unknown>;
  /** Names whose value could not be told as JSON, with the reason. */
  unobservable: Record<string, string>;
  warnings: {
    category: string;
    bases: string[];
    message: string;
    file: string;
    line: number;
    in: "script" | "project" | "library";
  }[];
  /** Project files imported, and functions of the project that were entered. */
  project: {
    imported: string[];
    entered: { file: string; function: string; line: number }[];
    /** Functions, classes and modules of the project, or of PyTorch, that were others at the end than when imported. */
    replaced: string[];
  };
  stdout: string;
  stderr: string;
  durationMs: number;
  /** Highest resident size of the process, bytes; null where it is not known. */
  peakMemoryBytes: number | null;
}

/** Does the execution show the symptom? */
export type Judgement =
  | { shows: true; evidence: string }
  | {
      shows: false;
      because: "ran-clean" | "different-symptom" | "set-up" | "not-observed" | "not-the-project" | "took-too-long";
      explanation: string;
    };

export interface Attempt {
  number: number;
  candidate: Candidate;
  validation: Validation;
  execution: Execution | null;
  judgement: Judgement | null;
}

// ── confirmation and outcome ─────────────────────────────────────────────────

/** Something that should make the symptom go away. */
export interface Contrast {
  by: "suggested-change" | "candidate-change" | "other-ref" | "neighbouring-configuration";
  /** For people: `without attn_one_kv_head`, `release 1.2.0`. */
  description: string;
  /** Unified diff of what was changed, or null for another ref. */
  diff: string | null;
  flips: boolean;
  explanation: string;
  /** What the model that proposed a change says of the cause; null for other contrasts. */
  cause: string | null;
}

export interface Confirmation {
  runs: number;
  /** Of `runs`, how many showed the symptom. */
  shown: number;
  contrasts: Contrast[];
}

export const Verdict = z.enum([
  "reproduced",
  "flaky",
  "different-symptom",
  "not-reproduced",
  "needs-information",
  "unsupported-environment",
  "not-a-bug",
  "cancelled",
  "budget-exhausted",
  "failed",
]);
export type Verdict = z.infer<typeof Verdict>;
