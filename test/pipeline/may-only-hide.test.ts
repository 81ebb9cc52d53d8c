import { describe, expect, it } from "vitest";
import { mayOnlyHide } from "../../src/pipeline/may-only-hide.ts";

describe("mayOnlyHide", () => {
  it.each([
    ["an early return", "+        return x.detach() * 0\n         return y", true],
    ["a swallowed exception", "+    try:\n     f()\n+    except ValueError:\n+        pass", true],
    ["a check taken away", "-        raise ValueError(rate)\n         return rate", true],
    ["another check", "-        raise ValueError(rate)\n+        raise TypeError(rate)", false],
    ["another value to return", "-    return x * mask\n+    return x + mask", false],
    ["a statement", "+        self.optimizer.zero_grad()", false],
    ["a name that begins like one", "+    returned = passes", false],
  ])("%s: %s", (_, diff, expected) => {
    expect(mayOnlyHide(diff)).toBe(expected);
  });
});
