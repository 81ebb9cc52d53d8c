import { describe, expect, it } from "vitest";
import { readBugs, readNotBugs } from "../fixtures/read-fixtures.ts";
import { runFixture } from "./run-fixture.ts";

const minutes = 60_000;

describe("reports of the project's own bugs, on the commit that fixes them", async () => {
  it.each(await readBugs())("$name does not show", { timeout: 6 * minutes }, async ({ name }) => {
    const { outcome } = await runFixture(`bugs/${name}`, "fixed");
    expect(["not-reproduced", "different-symptom"]).toContain(outcome.verdict);
  });
});

describe("reports that must not come out reproduced", async () => {
  it.each(await readNotBugs())("$name", { timeout: 6 * minutes }, async ({ name, expected }) => {
    const { outcome } = await runFixture(`not-bugs/${name}`, "fixed");
    expect(expected).toContain(outcome.verdict);
  });
});
