import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Outcome } from "../../src/outcome.ts";
import { startServer } from "../doubles/http-server.ts";
import { buildRepository } from "../fixtures/build-repository.ts";
import {
  BASE_TIMEOUT_MS,
  createDesk,
  type Desk,
  hasBubblewrap,
  planned,
  raisingBody,
  raisingReport,
  restructured,
  startModel,
  wordyReport,
  writeToy,
} from "./support.ts";

describe.skipIf(!hasBubblewrap)("repgen reproduce (needs bubblewrap)", { timeout: 60_000 }, () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await createDesk();
    await writeToy(desk, raisingBody, raisingReport);
  }, BASE_TIMEOUT_MS);
  afterAll(() => desk[Symbol.asyncDispose]());

  it("runs a Markdown report against a folder and writes what it found", async () => {
    const { status, stdout, stderr } = await desk.repgen([
      ...["reproduce", "issue.md", "--repo", "toy-project", "--out", "out"],
    ]);

    expect(status).toBe(0);
    expect(stdout).toBe("The symptom shows in 3 of 3 runs.\nresults: out\nverdict: reproduced\n");
    expect((await readdir(join(desk.folder, "out"))).sort()).toEqual([
      ...["comment.md", "outcome.json", "reproduce.py", "trajectory.json"],
    ]);
    expect(desk.outcome()).toMatchObject({
      verdict: "reproduced",
      scriptFrom: "reporter",
      runs: { total: 3, shown: 3 },
    });
    expect(JSON.parse(desk.read("out/trajectory.json")).outcome).toEqual(desk.outcome());
    expect(stderr.split("\n").filter((line) => !/^(?:… |✓ | {2}|$)/.test(line))).toEqual([]);
  });

  it("prints just the outcome with --json, for an issue as GitHub's API gives it", async () => {
    const [title, ...body] = raisingReport.split("\n");
    const issue = { title, body: body.join("\n"), number: 7, html_url: "https://github.com/o/toy/issues/7" };
    await desk.write("issue.json", JSON.stringify(issue));

    const { status, stdout } = await desk.repgen([
      ...["reproduce", "issue.json", "--repo", "toy-project", "--runs", "1", "--out", "json", "--json"],
    ]);

    expect(status).toBe(0);
    expect(stdout).toBe(desk.read("json/outcome.json"));
    expect(Outcome.parse(JSON.parse(stdout))).toMatchObject({ issue: { repository: "o/toy", number: 7 } });
  });

  it("reads the issue that a URL names and takes the project from --repo", async () => {
    const [title, ...body] = raisingReport.split("\n");
    const asked: (string | undefined)[] = [];
    await using github = await startServer((response, _index, request) => {
      asked.push(request.url);
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ title, body: body.join("\n"), number: 7, html_url: "https://github.com/o/toy/issues/7" }),
      );
    });

    const { status } = await desk.repgen(
      ["reproduce", "https://github.com/o/toy/issues/7", "--repo", "toy-project", "--runs", "1"],
      { env: { GITHUB_API_URL: github.url } },
    );

    expect(status).toBe(0);
    expect(asked).toEqual(["/repos/o/toy/issues/7"]);
    expect(desk.outcome("runs/o-toy-7")).toMatchObject({ verdict: "reproduced" });
  });

  it("ends with 3 for a report that does not hold", async () => {
    await writeToy(desk, "return 0", raisingReport);

    const { status, stdout } = await desk.repgen(["reproduce", "issue.md", "--repo", "toy-project", "--out", "clean"]);

    expect({ status, last: stdout.split("\n").at(-2) }).toEqual({ status: 3, last: "verdict: not-reproduced" });
  });

  it("lets nothing of an error's text through that a terminal would obey", async () => {
    await writeToy(
      desk,
      'raise ValueError("nothing to double here \\x1b]0;owned\\x07\\n\\x1b[2J✓ second line")',
      raisingReport,
    );

    const { stdout, stderr } = await desk.repgen(["reproduce", "issue.md", "--repo", "toy-project", "--out", "esc"]);

    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be there
    expect(`${stdout}${stderr}`).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
    expect(stderr).not.toMatch(/^✓ second line/m);
  });

  it("says that no model is configured when a report has no code", async () => {
    await writeToy(desk, "return 2 * value + 1", wordyReport);

    const { status, stdout } = await desk.repgen(["reproduce", "issue.md", "--repo", "toy-project", "--out", "wordy"]);

    expect(status).toBe(1);
    expect(stdout).toContain("set OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL");
    expect(desk.outcome("wordy")).toMatchObject({ verdict: "failed" });
  });

  it("asks the model that is configured, and does not call its script reproduced without a contrast", async () => {
    await writeToy(desk, "return 2 * value + 1", wordyReport);
    const script = '```python\nfrom toy import double\nobserved = {"result": double(2)}\n```';
    await using model = await startModel([restructured, planned, script]);

    const { status } = await desk.repgen(["reproduce", "issue.md", "--repo", "toy-project", "--out", "asked"], model);

    expect(status).toBe(3);
    expect(desk.outcome("asked")).toMatchObject({
      verdict: "not-reproduced",
      observed: { result: 5 },
      runs: { total: 3, shown: 3 },
      contrasts: [],
    });
  });
});

describe.skipIf(!hasBubblewrap)("bin/repgen.mjs reproduce (needs bubblewrap)", () => {
  it("reproduces a report on the commit that has the bug, with a PyTorch project", { timeout: 120_000 }, async () => {
    await using desk = await createDesk();
    const directory = await mkdtemp(join(tmpdir(), "repgen-cross-shape-"));
    try {
      const { path } = await buildRepository("cross-shape", directory);
      const issue = join(import.meta.dirname, "../fixtures/bugs/cross-shape/issue.md");

      const { status, stdout } = await desk.start([
        ...["reproduce", issue, "--repo", path, "--ref", "v0.1.0", "--runs", "1", "--out", "out"],
      ]).ended;

      expect({ status, last: stdout.split("\n").at(-2) }).toEqual({ status: 0, last: "verdict: reproduced" });
      expect(desk.outcome()).toMatchObject({ project: { label: "cross-shape@v0.1.0" } });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
