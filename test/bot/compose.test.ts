import { describe, expect, it } from "vitest";
import { composeProgress, composeResult, composeStatus, marker } from "../../src/bot/compose.ts";
import type { RunProgress, RunRequest } from "../../src/bot/types.ts";
import { outcome } from "../doubles/outcomes.ts";

const request: RunRequest = {
  runId: "run-1",
  home: { installationId: 1, repository: { id: 1, fullName: "acme/net", private: false }, issueNumber: 1 },
  issue: { title: "t", body: "b", createdAt: "2026-01-31T00:00:00Z", url: "https://github.com/acme/net/issues/1" },
  pinned: { hash: "0", at: "2026-01-31T00:00:00Z" },
  trigger: { kind: "label", by: "mia", at: "2026-01-31T00:00:00Z" },
  ref: null,
  python: null,
  withPackages: [],
  gpu: false,
  runs: 3,
  model: null,
  hint: null,
  limits: { maxTokens: 1000, maxAttempts: 5, maxDurationMs: 60_000 },
  setup: [],
  network: [],
  test: null,
  leaveOut: [],
  labels: { trigger: "needs-repro", outcomes: {} },
};

const begun: RunProgress = {
  startedAt: "2026-01-31T00:00:00Z",
  stages: [],
  attempts: 1,
  tokens: 1,
  durationMs: 0,
  gpuSeconds: 0,
  held: null,
};

describe("composeResult", () => {
  it("stays within GitHub's size with what is added behind, whatever was run", () => {
    const long = outcome({ script: "x = 1\n".repeat(20_000), log: "y".repeat(70_000) });

    const comment = composeResult({ outcome: long, runId: "run-1", asksAgain: true }, []);

    expect(comment.length).toBeLessThanOrEqual(65_536);
    expect(comment.endsWith(marker("run", "run-1"))).toBe(true);
    expect(comment).toContain("tries again by itself");
  });

  it("keeps what went wrong on the bot's side to its operator", () => {
    const failed = outcome({ verdict: "failed", reason: "connect ECONNREFUSED 10.0.0.7:8000", log: "secret path" });

    const comment = composeResult({ outcome: failed, runId: "run-1", asksAgain: false }, []);

    expect(comment).toContain("run-1");
    expect(comment).not.toMatch(/ECONNREFUSED|secret path/);
  });
});

describe("composeProgress", () => {
  it("tells stages with their times, attempts and budget, and pings nobody", () => {
    const stages = [
      { name: "restructure", state: "done", durationMs: 3_000, detail: "" },
      { name: "prepare environment", state: "failed", durationMs: 200_000, detail: "fixes #3 of @octocat" },
      { name: "attempt", state: "running", durationMs: 0, detail: "" },
    ] as const;

    const comment = composeProgress(request, { ...begun, stages: [...stages], attempts: 2, tokens: 300 });

    expect(comment).toContain("- [x] restructure (3 s)\n- [ ] prepare environment (3 min)");
    expect(comment).toContain("- [ ] **attempt** …");
    expect(comment).toContain("Attempt 2 of 5 · 300 of 1000 tokens · at most 60 s");
    expect(comment).not.toMatch(/@octocat|fixes #3/);
  });

  it("says what holds a run back, and until when", () => {
    const held = { what: "the tokens of this repository", until: "2026-02-01 00:00 UTC" };

    const comment = composeProgress(request, { ...begun, held });
    const status = composeStatus({ request, progress: { ...begun, held }, waitingBefore: null });

    for (const text of [comment, status]) {
      expect(text).toContain("the tokens of this repository for today are used up");
      expect(text).toContain("It begins after 2026-02-01 00:00 UTC.");
    }
  });

  it("stays short in a long run", () => {
    const stage = { name: "attempt", state: "done", durationMs: 1, detail: "*".repeat(200) } as const;

    const comment = composeProgress(request, { ...begun, stages: Array(5000).fill(stage) });

    expect(comment.length).toBeLessThan(65_536);
  });
});
