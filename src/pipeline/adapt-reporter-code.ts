import type { IndexKey, LexicalIndex } from "../ports/lexical-index.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import type { Candidate, Context, Place, ScriptDescription } from "../types.ts";
import { describeScript } from "./describe-script.ts";
import { resolveName } from "./resolve-name.ts";

/** The reporter's code made to run, or why it cannot be. */
export type Adapted = { ok: true; candidate: Candidate; added: string[] } | { ok: false; reason: string };

type Parsed = Extract<ScriptDescription, { parses: true }>;

/**
 * Completes the reporter's code with the imports that it leaves out: names of the project, of torch, and of what is
 * commonly imported beside it. Nothing else of it is changed.
 */
export async function adaptReporterCode(
  input: { code: string; place: Place; context: Context; key: IndexKey },
  deps: { sandbox: Sandbox; index: LexicalIndex },
  signal: AbortSignal,
): Promise<Adapted> {
  const { code, place, context, key } = input;
  const described = await describeScript(code, place, deps, signal);
  if (!described.parses)
    return { ok: false, reason: `it does not parse: ${described.message} (line ${described.line})` };
  const imports: string[] = [];
  for (const { name } of described.undefinedNames) {
    const line = await importFor(name, { context, key }, deps);
    if (line === null) return { ok: false, reason: `it uses \`${name}\`, which it does not define` };
    imports.push(line);
  }
  const added = [...new Set(imports)].sort();
  const source = added.length === 0 ? code : insertImports(code, described.statements, added);
  return { ok: true, candidate: { source: `${source.trimEnd()}\n`, from: "reporter" }, added };
}

async function importFor(
  name: string,
  { context, key }: { context: Context; key: IndexKey },
  deps: { index: LexicalIndex },
): Promise<string | null> {
  if (context.packages.includes(name)) return `import ${name}`;
  const resolved = await resolveName(name, key, deps);
  if (resolved !== null) return `from ${resolved.module} import ${resolved.name}`;
  return common.get(name) ?? null;
}

/** `from __future__` imports have to stay first. */
function insertImports(code: string, statements: Parsed["statements"], imports: string[]): string {
  const lines = code.split("\n");
  const isFuture = ({ startLine }: Parsed["statements"][number]) =>
    /^from\s+__future__\s/.test(lines[startLine - 1] ?? "");
  const after = statements.findLast(isFuture)?.endLine ?? 0;
  return [...lines.slice(0, after), ...imports, ...lines.slice(after)].join("\n");
}

/** What reports of PyTorch projects use without saying where it comes from. */
const common = new Map([
  ["torch", "import torch"],
  ["nn", "from torch import nn"],
  ["F", "import torch.nn.functional as F"],
  ["optim", "from torch import optim"],
  ["Tensor", "from torch import Tensor"],
  ["DataLoader", "from torch.utils.data import DataLoader"],
  ["Dataset", "from torch.utils.data import Dataset"],
  ["TensorDataset", "from torch.utils.data import TensorDataset"],
  ["np", "import numpy as np"],
  ["numpy", "import numpy"],
  ...["math", "os", "random", "sys", "time", "copy", "warnings", "itertools", "functools"].map(
    (module): [string, string] => [module, `import ${module}`],
  ),
  ["Path", "from pathlib import Path"],
  ["partial", "from functools import partial"],
  ...["rearrange", "repeat", "reduce"].map((name): [string, string] => [name, `from einops import ${name}`]),
]);
