import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildRepository } from "../fixtures/build-repository.ts";
import {
  BASE_TIMEOUT_MS,
  createDesk,
  type Desk,
  hasBubblewrap,
  isThere,
  raisingBody,
  raisingReport,
  writeToy,
} from "./support.ts";

describe.skipIf(!hasBubblewrap)("a run on bad input (needs bubblewrap)", { timeout: 60_000 }, () => {
  let desk: Desk;
  let runs = 0;
  beforeAll(async () => {
    desk = await createDesk();
  }, BASE_TIMEOUT_MS);
  afterAll(() => desk[Symbol.asyncDispose]());

  async function run(options: { issue?: string; more?: string[]; env?: Record<string, string> } = {}) {
    const out = `out-${++runs}`;
    const { status } = await desk.repgen(
      ["reproduce", options.issue ?? "issue.md", "--repo", "toy-project", "--out", out, ...(options.more ?? [])],
      { env: options.env },
    );
    const outcome = desk.outcome(out);
    expect(JSON.parse(desk.read(`${out}/trajectory.json`)).outcome).toEqual(outcome);
    expect(isThere(desk, `${out}/comment.md`)).toBe(true);
    return { status, outcome, comment: desk.read(`${out}/comment.md`) };
  }

  it("asks for information when the body is empty", async () => {
    await writeToy(desk, raisingBody, "It fails\n");

    const { status, outcome } = await run();

    expect(status).toBe(3);
    expect(outcome).toMatchObject({ verdict: "needs-information", reason: expect.stringContaining("a short script") });
  });

  it("reads a report that is not UTF-8", async () => {
    await writeToy(desk, raisingBody, raisingReport);
    const bytes = Buffer.concat([Buffer.from(raisingReport), Buffer.from([0x0a, 0xff, 0xfe, 0xc3, 0x28, 0x00, 0x0a])]);
    await desk.write("bytes.md", bytes);

    expect((await run({ issue: "bytes.md" })).outcome).toMatchObject({ verdict: "reproduced" });
  });

  it("reads a report of a million characters", async () => {
    await writeToy(desk, raisingBody, `${raisingReport}\n${"All work and no play. ".repeat(46_000)}`);

    const { outcome, comment } = await run();

    expect(outcome).toMatchObject({ verdict: "reproduced" });
    expect(comment.length).toBeLessThan(65_536);
  });

  it("names refs near one that does not exist", async () => {
    await writeToy(desk, raisingBody, raisingReport);
    const { path } = await buildRepository("cross-shape", desk.folder);

    const { status, outcome } = await run({ more: ["--repo", path, "--ref", "v0.1.9"] });

    expect(status).toBe(1);
    expect(outcome).toMatchObject({ verdict: "failed", reason: "there is no ref v0.1.9 (near: v0.1.0, v0.1.1)" });
  });

  it("tells pip's own reason when a requirement does not exist", async () => {
    await writeToy(desk, raisingBody, raisingReport);
    await desk.write("toy-project/requirements.txt", "pip==0.0.99999\n");

    const { status, outcome, comment } = await run();
    await desk.write("toy-project/requirements.txt", "");

    const reason = "No matching distribution found for pip==0.0.99999";
    expect(status).toBe(3);
    expect(outcome).toMatchObject({ verdict: "unsupported-environment", reason: expect.stringContaining(reason) });
    expect(comment).toContain("No matching distribution found");
  });

  it("runs a project whose setup.py raises from its files", async () => {
    await writeToy(desk, raisingBody, raisingReport);
    await desk.write("toy-project/setup.py", 'raise RuntimeError("no CUDA, no setup")\n');

    const { status, outcome } = await run();
    await desk.write("toy-project/setup.py", "");

    expect(status).toBe(0);
    expect(outcome).toMatchObject({ verdict: "reproduced", environment: { projectInstalled: false } });
    expect(outcome.environment?.substitutions).toMatchObject([
      { got: "run from its files", reason: expect.stringContaining("no CUDA, no setup") },
    ]);
  });

  it("ends with the time for an issue", async () => {
    await writeToy(desk, "while True: pass", raisingReport);

    const { status, outcome } = await run({ env: { REPGEN_MAX_SECONDS: "1" } });

    expect(status).toBe(3);
    expect(outcome).toMatchObject({ verdict: "budget-exhausted", reason: expect.stringMatching(/time|seconds/) });
    expect(desk.sandboxed()).toEqual([]);
    expect(await desk.leftovers()).toEqual([]);
  });
});
