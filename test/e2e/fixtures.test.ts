import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Verdict } from "../../src/types.ts";
import { BugFixture, fixturesFolder, runFixture } from "./run-fixture.ts";

const read = (fixture: string) => JSON.parse(readFileSync(join(fixturesFolder, fixture, "fixture.json"), "utf8"));
const named = (folder: string) => readdirSync(join(fixturesFolder, folder)).map((name) => `${folder}/${name}`);
const minutes = 60_000;

const bugs = named("bugs");
const notBugs = named("not-bugs");
const NotBug = z.object({ expected: z.union([Verdict, z.array(Verdict)]) });

describe("reports of the project's own bugs", () => {
  it.each(bugs)(
    "%s shows on the commit that has the bug",
    async (fixture) => {
      const { expected } = BugFixture.parse(read(fixture));
      const { outcome } = await runFixture(fixture, "buggy");
      expect([outcome.verdict, outcome.reason]).toEqual([expected, outcome.reason]);
    },
    6 * minutes,
  );

  it.each(bugs)(
    "%s does not show on the commit that fixes it",
    async (fixture) => {
      const { outcome } = await runFixture(fixture, "fixed");
      expect(["not-reproduced", "different-symptom"]).toContain(outcome.verdict);
    },
    6 * minutes,
  );
});

describe("reports that must not come out reproduced", () => {
  it.each(notBugs)(
    "%s",
    async (fixture) => {
      const { expected } = NotBug.parse(read(fixture));
      const { outcome } = await runFixture(fixture, "fixed");
      expect([expected].flat()).toContain(outcome.verdict);
    },
    6 * minutes,
  );
});
