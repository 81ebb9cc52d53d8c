import { describe, expect, it } from "vitest";
import { readBugs } from "../fixtures/read-fixtures.ts";
import { runFixture } from "./run-fixture.ts";

const minutes = 60_000;

describe("reports of the project's own bugs, on the commit that has them", async () => {
  it.each(await readBugs())("$name shows", { timeout: 6 * minutes }, async ({ name, expected }) => {
    // What shows for some seeds only takes more than two to be seen both ways.
    const runs = expected === "flaky" ? 3 : 2;
    const { outcome } = await runFixture(`bugs/${name}`, "buggy", { runs });
    expect(outcome).toMatchObject({ verdict: expected });
  });
});
