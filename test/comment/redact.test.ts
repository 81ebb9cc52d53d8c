import { describe, expect, it } from "vitest";
import { redact } from "../../src/comment/redact.ts";

const body = "0123456789abcdefABCDEF0123456789abcdef";

describe("redact", () => {
  it.each([
    ["an installation token", `ghs_${body}`],
    ["an installation token with a payload", `ghs_${body}.${body}.${body}`],
    ["a personal token", `ghp_${body}`],
    ["a fine-grained token", `github_pat_${body}_x`],
    ["a model provider's key", `sk-proj-${body}`],
    ["a cloud key id", "AKIA0123456789ABCDEF"],
    ["a hub token", `hf_${body}`],
    ["a JWT", `eyJhbGciOi.${body}.${body}`],
    ["a private key", `-----BEGIN RSA PRIVATE KEY-----\n${body}\n${body}\n-----END RSA PRIVATE KEY-----`],
  ])("removes %s", (_, secret) => {
    expect(redact(`a ${secret} b`, [])).toEqual("a [redacted] b");
  });

  it("removes a private key whose end was cut off", () => {
    expect(redact(`a\n-----BEGIN PRIVATE KEY-----\n${body}`, [])).toEqual("a\n[redacted]");
  });

  it("removes the user of a URL and the value of an authorisation", () => {
    expect(redact(`https://x-access:${body}@github.com/a Authorization: Bearer ${body}`, [])).toEqual(
      "https://[redacted]@github.com/a Authorization: Bearer [redacted]",
    );
  });

  it("removes given secrets, the longest first, wherever they stand", () => {
    expect(redact("xhunter2-longy and hunter2", ["hunter2", "hunter2-long", "abc", ""])).toEqual(
      "x[redacted]y and [redacted]",
    );
  });

  it.each(["", "a", "ab", "abc"])("removes a given secret in base64 behind %j", (before) => {
    const encoded = Buffer.from(`${before}p@ss/word+1234${before}`).toString("base64");

    const redacted = redact(encoded, ["p@ss/word+1234"]);

    expect(redacted).toContain("[redacted]");
    expect(Buffer.from(redacted.replace("[redacted]", ""), "base64").toString()).not.toContain("word");
  });

  it("removes a given secret in hexadecimal, in base64url and in a URL", () => {
    const secret = "p@ss>>>word???1234";
    const forms = [
      Buffer.from(secret).toString("hex"),
      Buffer.from(secret).toString("hex").toUpperCase(),
      Buffer.from(secret).toString("base64url"),
      encodeURIComponent(secret),
    ];

    expect(forms.map((form) => redact(form, [secret]).replace(/^.{0,2}\[redacted\].{0,2}$/, "gone"))).toEqual([
      "gone",
      "gone",
      "gone",
      "gone",
    ]);
  });

  it.each([
    "sk-learn-compatible-estimators-for-all",
    "a commit 0123456789abcdef0123456789abcdef01234567",
    "https://github.com/a/b@main and user@example.org",
    "ghs_ and hf_hub and task-0123456789abcdef01",
    "token count 12345",
  ])("keeps what is no secret: %s", (text) => {
    expect(redact(text, [])).toEqual(text);
  });
});
