import { describe, expect, it } from "vitest";
import { seal, unseal } from "../../src/bot/seal.ts";

const secret = "a secret of both processes";

describe("seal", () => {
  it("is opened with the same secret, for the same use, and looks different each time", () => {
    const sealed = seal("ghs_token", secret, "request-1");

    expect(unseal(sealed, secret, "request-1")).toBe("ghs_token");
    expect(sealed).not.toContain("ghs_token");
    expect(Buffer.from(sealed, "base64").toString("latin1")).not.toContain("ghs_token");
    expect(seal("ghs_token", secret, "request-1")).not.toBe(sealed);
  });

  it("stays closed to another secret, another use, and changed bytes", () => {
    const sealed = seal("ghs_token", secret, "request-1");
    const changed = Buffer.from(sealed, "base64");
    changed[50] = (changed[50] ?? 0) ^ 1;

    expect(unseal(sealed, "another secret altogether", "request-1")).toBeNull();
    expect(unseal(sealed, secret, "request-2")).toBeNull();
    expect(unseal(changed.toString("base64"), secret, "request-1")).toBeNull();
    expect(unseal("", secret, "request-1")).toBeNull();
    expect(unseal("AAAA", secret, "request-1")).toBeNull();
  });
});
