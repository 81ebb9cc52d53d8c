import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { containerLabels, isLeftover } from "../../src/sandbox/docker-labels.ts";

const MINUTE_MS = 60_000;
const FUTURE = String(Date.now() + MINUTE_MS);
/** No process has a number this high. */
const DEAD = 4_194_305;

describe("containerLabels", () => {
  it("tells the owner, the job, and until when a container may exist", () => {
    const before = Date.now();
    const limits = { wallTimeMs: MINUTE_MS, memoryBytes: 0, processes: 0, outputBytes: 0, diskBytes: 0 };
    const command = { argv: ["true"] as [string], env: {}, mounts: [], network: "none" as const, limits, gpus: [] };

    const labels = containerLabels("job-1", command);

    expect(labels).toEqual({
      "repgen.owner": `${process.pid}@${hostname()}`,
      "repgen.job": "job-1",
      "repgen.deadline": expect.any(String),
    });
    expect(Number(labels["repgen.deadline"])).toBeGreaterThan(before + MINUTE_MS);
  });
});

describe("isLeftover", () => {
  const owned = (owner: string, deadline = FUTURE) => ({ "repgen.owner": owner, "repgen.deadline": deadline });

  it("is true for a dead owner on this host", () => {
    expect(isLeftover(owned(`${DEAD}@${hostname()}`), Date.now())).toBe(true);
  });

  it("is false for a live one, and for any on another host", () => {
    expect(isLeftover(owned(`${process.ppid}@${hostname()}`), 0)).toBe(false);
    expect(isLeftover(owned(`${process.pid}@${hostname()}`), Date.now())).toBe(false);
    expect(isLeftover(owned(`${DEAD}@elsewhere`), 0)).toBe(false);
  });

  it("is true for an earlier process that had this one's number", () => {
    expect(isLeftover(owned(`${process.pid}@${hostname()}`), Date.now() - process.uptime() * 1_000 - MINUTE_MS)).toBe(
      true,
    );
  });

  it("is true for anyone's after its deadline", () => {
    expect(isLeftover(owned("1@elsewhere", String(Date.now() - 1)), Date.now())).toBe(true);
  });
});
