import { describe, expect, it } from "vitest";
import { HarnessFault } from "../../src/errors.ts";
import { validate } from "../../src/pipeline/validate.ts";
import type { Symptom } from "../../src/types.ts";
import { describeInBubblewrap, makePlace } from "./host-sandbox.ts";
import { place, scriptedSandbox } from "./scripted-sandbox.ts";

const signal = AbortSignal.timeout(60_000);
const symptom: Symptom = { kind: "exception", type: "RuntimeError", message: null, where: null };
const input = { candidate: { source: "x = 1", from: "model" as const }, symptom, packages: ["pkg"] };

describe("validate", () => {
  it("is fine without problems", async () => {
    const sandbox = scriptedSandbox({ result: '{"problems": []}' });

    expect(await validate(input, place, { sandbox }, signal)).toEqual({ ok: true });
  });

  it("tells the problems", async () => {
    const problem = { kind: "mimic", line: 1, message: "It raises." };
    const sandbox = scriptedSandbox({ result: JSON.stringify({ problems: [problem] }) });

    expect(await validate(input, place, { sandbox }, signal)).toEqual({ ok: false, problems: [problem] });
  });

  it("throws a fault when the check does not end by itself, or answers something else", async () => {
    const late = scriptedSandbox({ ending: { how: "timeout" } });
    const odd = scriptedSandbox({ result: '{"problems": [{"kind": "odd"}]}' });

    await expect(validate(input, place, { sandbox: late }, signal)).rejects.toThrow(HarnessFault);
    await expect(validate(input, place, { sandbox: odd }, signal)).rejects.toThrow(HarnessFault);
  });
});

describeInBubblewrap("validate", (sandbox) => {
  it("checks the script against the checkout", async () => {
    await using project = await makePlace({ "pkg/__init__.py": "def boom(n): pass\n" });
    const check = (source: string) =>
      validate({ ...input, candidate: { source, from: "model" } }, project, { sandbox }, signal);

    expect(await check("import pkg\npkg.boom(n=1)\n")).toEqual({ ok: true });
    expect(await check("import pkg\npkg.boom(m=1, n=2)\nraise RuntimeError\n")).toEqual({
      ok: false,
      problems: [
        { kind: "unknown-argument", line: 2, message: "boom has no argument 'm': it is boom(n)." },
        {
          kind: "mimic",
          line: 3,
          message: "It raises the symptom by itself: let the project's code raise, and let the exception go.",
        },
      ],
    });
  });
});
