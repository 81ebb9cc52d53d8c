import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import type { ReproduceJob } from "../../src/job.ts";
import { reproduceIssue } from "../../src/pipeline/reproduce-issue.ts";
import { buildDependencies } from "../../workers/build-dependencies.ts";
import {
  BASE_TIMEOUT_MS,
  createDesk,
  type Desk,
  hasBubblewrap,
  planned,
  restructured,
  wordyReport,
  writeToy,
} from "../cli/support.ts";
import { scriptedLanguageModel } from "../doubles/scripted-language-model.ts";

const hostile = [
  {
    what: "forks without end",
    code: "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n",
  },
  {
    what: "writes without end",
    code: 'with open("/tmp/much", "wb") as file:\n    while True:\n        file.write(bytes(1 << 20))\n',
  },
  { what: "prints 100 MB", code: 'for _ in range(100):\n    print("x" * 1_000_000)\n' },
  {
    what: "ignores SIGTERM and leaves a child behind",
    code: `import signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["sleep", "1000"], start_new_session=True)
while True:
    time.sleep(1)
`,
  },
];

describe.skipIf(!hasBubblewrap)("reproduceIssue with a hostile candidate (needs bubblewrap)", () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await createDesk();
    await writeToy(desk, "return 2 * value", wordyReport);
  }, BASE_TIMEOUT_MS);
  afterAll(() => desk[Symbol.asyncDispose]());

  it.each(hostile)("ends, and leaves nothing behind, when it $what", { timeout: 60_000 }, async ({ code }) => {
    const candidate = `from toy import double\nobserved = {"result": double(2)}\n${code}`;
    const languageModel = scriptedLanguageModel([restructured, planned, `\`\`\`python\n${candidate}\`\`\``]);
    const signal = AbortSignal.timeout(50_000);
    const none = { name: null, record: null, replay: null };
    await using dependencies = await buildDependencies(loadConfig(desk.env), none, signal);

    const deps = { ...dependencies, languageModel, onProgress: () => {} };
    const { outcome, events } = await reproduceIssue(jobFor(desk), deps, signal);

    const executed = events.flatMap((each) => (each.event === "execution" ? [each.execution] : []));
    expect(executed).toHaveLength(1);
    expect(executed[0]?.stdout.length).toBeLessThan(2 * 1024 ** 2);
    expect(outcome).toMatchObject({ verdict: "not-reproduced", scriptFrom: "model" });
    expect(outcome.log.length).toBeLessThan(10_000);
    expect(desk.sandboxed()).toEqual([]);
    expect(await desk.leftovers()).toEqual([]);
  });
});

function jobFor(desk: Desk): ReproduceJob {
  const [title = "", ...body] = wordyReport.split("\n");
  return {
    issue: { repository: null, number: null, title, body: body.join("\n"), createdAt: null, url: null },
    source: { from: "git", url: join(desk.folder, "toy-project"), ref: null },
    contrastRef: null,
    python: null,
    withPackages: [],
    hint: null,
    runs: 1,
    limits: { maxTokens: 120_000, maxAttempts: 1, maxDurationMs: 60_000 },
    gpus: [],
    memoryBytes: 1024 ** 3,
  };
}
