import { describe, expect, it } from "vitest";
import { HarnessFault } from "../../src/errors.ts";
import { describeScript } from "../../src/pipeline/describe-script.ts";
import { describeInBubblewrap, makePlace } from "./host-sandbox.ts";
import { place, scriptedSandbox } from "./scripted-sandbox.ts";

const signal = AbortSignal.timeout(60_000);

describe("describeScript", () => {
  it("throws a fault for an answer of another shape", async () => {
    const sandbox = scriptedSandbox({ result: '{"parses": 1}' });

    await expect(describeScript("x = 1", place, { sandbox }, signal)).rejects.toThrow(HarnessFault);
  });
});

describeInBubblewrap("describeScript", (sandbox) => {
  it("tells names, statements and keywords", async () => {
    await using project = await makePlace({ "pkg/__init__.py": "" });

    expect(await describeScript("x = Net(dim=3)\n", project, { sandbox }, signal)).toEqual({
      parses: true,
      undefinedNames: [{ name: "Net", line: 1 }],
      statements: [{ startLine: 1, endLine: 1 }],
      keywords: [{ name: "dim", call: "Net", startLine: 1, startColumn: 8, endLine: 1, endColumn: 13 }],
    });
    expect(await describeScript("x = = 1\n", project, { sandbox }, signal)).toMatchObject({ parses: false, line: 1 });
  });
});
