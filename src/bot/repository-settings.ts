import { isMap, isScalar, LineCounter, type Node, type ParsedNode, parseDocument } from "yaml";
import { z } from "zod";
import { Verdict } from "../types.ts";

/** Where a repository's own settings are. Read from the default branch only: a pull request's are anybody's. */
export const settingsPath = ".github/repgen.yml";

const longestFile = 64 * 1024;
const labelName = z.string().trim().min(1).max(50);
const hostName = z
  .string()
  .regex(/^(?:[a-z0-9-]+\.)+[a-z]{2,}$/, "it has to be a host's name, such as data.example.org");

/** Labels that tell the outcome; those that are not for a report's reader have none. */
export const defaultLabels: Partial<Record<Verdict, string>> = {
  reproduced: "repro: reproduced",
  flaky: "repro: flaky",
  "different-symptom": "repro: different-symptom",
  "not-reproduced": "repro: not-reproduced",
  "needs-information": "repro: needs-information",
  "unsupported-environment": "repro: unsupported-environment",
  "not-a-bug": "repro: not-a-bug",
};

const wholeNumber = (most: number) => z.number().int().min(1).max(most);

export const RepositorySettings = z.strictObject({
  /** The label that asks for a run. */
  label: labelName.default("needs-repro"),
  /** Who may start, cancel and retry. Reading is never enough. */
  roles: z
    .array(z.enum(["admin", "maintain", "write"]))
    .min(1)
    .default(["admin", "maintain", "write"]),
  /** Verdict → label; null sets none for it. */
  labels: z.partialRecord(Verdict, labelName.nullable()).default({}),
  python: z
    .string()
    .regex(/^3\.\d{1,2}$/, 'it has to be a version in quotes, such as "3.11"')
    .nullable()
    .default(null),
  /** Installed beside what the project asks for. */
  packages: z
    .array(
      z
        .string()
        .regex(
          /^[A-Za-z0-9][\w.-]*(?:\[[\w,.-]*\])?(?:[<>=!~]=?[\w.!+*,<>=~-]+)?$/,
          "it has to be a package, such as timm==1.0.9",
        ),
    )
    .max(50)
    .default([]),
  /** Shell commands that make the checkout ready once it is installed; run where packages are installed. */
  setup: z.array(z.string().min(1).max(1000)).max(20).default([]),
  /** How the project's tests are run; the model is told. */
  test: z.string().min(1).max(1000).nullable().default(null),
  /** Hosts that `setup` may fetch data from. A script itself never has a network. */
  network: z.array(hostName).max(20).default([]),
  gpu: z.boolean().default(false),
  /** Times a script is run to confirm. */
  runs: wholeNumber(20).default(3),
  budgets: z
    .strictObject({
      tokens: wholeNumber(10_000_000).nullable().default(null),
      attempts: wholeNumber(50).nullable().default(null),
      minutes: wholeNumber(24 * 60)
        .nullable()
        .default(null),
    })
    .default({ tokens: null, attempts: null, minutes: null }),
  /** Globs of files that no model is shown. */
  leaveOut: z.array(z.string().min(1).max(200)).max(100).default([]),
});
export type RepositorySettings = z.infer<typeof RepositorySettings>;

export type ReadSettings = { ok: true; settings: RepositorySettings } | { ok: false; problems: string[] };

/** Reads the settings file; each problem names its line. An empty text gives the defaults, null is one too long to be had. */
export function readRepositorySettings(text: string | null): ReadSettings {
  if (text === null || text.length > longestFile)
    return { ok: false, problems: [`the file is longer than ${longestFile / 1024} KiB`] };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    return {
      ok: false,
      problems: document.errors.slice(0, 5).map(({ pos, message }) => `line ${lines.linePos(pos[0]).line}: ${message}`),
    };
  }
  const parsed = RepositorySettings.safeParse(toValue(document) ?? {});
  if (parsed.success) return { ok: true, settings: parsed.data };
  const problems = parsed.error.issues.slice(0, 10).map((issue) => {
    const path = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : issue.path;
    const line = lineOf(document.contents, path, lines);
    const where = path.length === 0 ? "" : `${path.join(".")}: `;
    return `${line === null ? "" : `line ${line}: `}${where}${tell(issue)}`;
  });
  return { ok: false, problems };
}

function toValue(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    return { aliases: "are not taken" };
  }
}

function tell(issue: z.core.$ZodIssue): string {
  if (issue.code !== "unrecognized_keys") return issue.message;
  return `there is no such setting; there are ${Object.keys(RepositorySettings.shape).join(", ")}`;
}

/** Line of the deepest node on the way that is there. */
function lineOf(contents: ParsedNode | null, path: readonly PropertyKey[], lines: LineCounter): number | null {
  let node: Node | null = contents;
  let line = node?.range == null ? null : lines.linePos(node.range[0]).line;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
      if (pair === undefined) return line;
      const { key, value } = pair as { key: Node; value: Node | null };
      if (key.range != null) line = lines.linePos(key.range[0]).line;
      node = value;
    } else if (node !== null && "items" in node && typeof step === "number") {
      node = (node.items as Node[])[step] ?? null;
      if (node?.range != null) line = lines.linePos(node.range[0]).line;
    } else return line;
  }
  return line;
}
