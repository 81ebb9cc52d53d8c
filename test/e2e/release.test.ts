import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { reproduceIssue } from "../../src/pipeline/reproduce-issue.ts";
import type { Issue } from "../../src/types.ts";
import { buildDependencies } from "../../workers/build-dependencies.ts";

const never = new AbortController().signal;
const minutes = 60_000;

/** A report in the manner of one on x-transformers: code without imports, an error without its text. */
const issue: Issue = {
  repository: "lucidrains/x-transformers",
  number: null,
  title: "One key and value head cannot be combined with memory key and values",
  body: [
    "With `attn_one_kv_head` and `attn_num_mem_kv` both set, the forward pass gives an error.",
    "",
    "```python",
    "model = TransformerWrapper(",
    "    num_tokens = 16,",
    "    max_seq_len = 64,",
    "    attn_layers = Decoder(dim = 32, depth = 1, heads = 4, attn_num_mem_kv = 2, attn_one_kv_head = True)",
    ")",
    "model(torch.randint(0, 16, (1, 64)))",
    "```",
  ].join("\n"),
  createdAt: null,
  url: null,
};

async function reproduceOn(version: string) {
  const config = loadConfig();
  const noModel = { name: null, record: null, replay: null };
  await using dependencies = await buildDependencies({ ...config, model: null }, noModel, never);
  const job = {
    issue,
    source: { from: "pypi", name: "x-transformers", version } as const,
    contrastRef: null,
    python: null,
    withPackages: [],
    hint: null,
    runs: 2,
    limits: { maxTokens: 1, maxAttempts: 1, maxDurationMs: 5 * minutes },
    gpus: [],
    memoryBytes: config.memoryBytes,
  };
  return (await reproduceIssue(job, { ...dependencies, onProgress: () => {} }, never)).outcome;
}

describe("a release of a real project as the repository, without a model (needs the package index)", () => {
  it("shows the bug on the release that has it", { timeout: 5 * minutes }, async () => {
    const outcome = await reproduceOn("1.27.7");
    expect(outcome).toMatchObject({ verdict: "reproduced", scriptFrom: "reporter", spent: { modelCalls: 0 } });
    expect(outcome.symptom).toEqual({ kind: "exception", type: null, message: null, where: null });
    expect(outcome.evidence).toMatch(/^RuntimeError: Sizes of tensors must match .* in x_transformers\//);
  });

  it("does not show it on the release that fixes it", { timeout: 5 * minutes }, async () => {
    expect(await reproduceOn("1.27.9")).toMatchObject({ verdict: "not-reproduced", spent: { modelCalls: 0 } });
  });
});
