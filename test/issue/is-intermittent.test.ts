import { describe, expect, it } from "vitest";
import { isIntermittent } from "../../src/issue/is-intermittent.ts";

describe("isIntermittent", () => {
  it.each([
    ["fit sometimes fails with an IndexError", true],
    ["It randomly crashes after a while.", true],
    ["about every other time that I run it", true],
    ["The result is non-deterministic", true],
    ["It fails every time.", false],
    ["x = torch.randn(3)  # random input", false],
  ])("%j: %s", (text, expected) => {
    expect(isIntermittent(text)).toBe(expected);
  });
});
