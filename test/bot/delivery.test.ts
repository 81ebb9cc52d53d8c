import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { concerns, Delivery } from "../../src/bot/delivery.ts";

type Payload = Record<string, unknown> & { action?: string };

const examples = createRequire(import.meta.url)("@octokit/webhooks-examples/api.github.com/index.json") as {
  name: string;
  examples: Payload[];
}[];
const payloads = examples.flatMap(({ name, examples: all }) => all.map((payload) => ({ event: name, payload })));

describe("concerns", () => {
  it("takes, of all of GitHub's examples, labels, and edits and comments of the reporter", () => {
    const taken = payloads.filter(({ event, payload }) => concerns(event, payload));

    expect(new Set(taken.map(({ event, payload }) => `${event}.${payload.action}`))).toEqual(
      new Set(["issues.labeled", "issues.edited", "issue_comment.created"]),
    );
  });

  it("can read every example that it takes", () => {
    const taken = payloads.filter(({ event, payload }) => concerns(event, payload));

    for (const { event, payload } of taken) {
      const read = Delivery.safeParse({ ...payload, guid: "1", event, installation: { id: 1 } });
      expect(read.error).toBeUndefined();
    }
    expect(taken.length).toBeGreaterThan(3);
  });

  const issue = { user: { login: "rob", type: "User" } };
  const mia = { login: "mia", type: "User" };
  it.each([
    [true, "a command", "issue_comment", { action: "created", sender: mia, issue, comment: { body: "hi\n/repro" } }],
    [
      false,
      "somebody's remark",
      "issue_comment",
      { action: "created", sender: mia, issue, comment: { body: "/repros" } },
    ],
    [
      true,
      "the reporter's remark",
      "issue_comment",
      { action: "created", sender: issue.user, issue, comment: { body: "" } },
    ],
    [
      false,
      "an edited command",
      "issue_comment",
      { action: "edited", sender: mia, issue, comment: { body: "/repro" } },
    ],
    [
      false,
      "a bot's command",
      "issue_comment",
      { action: "created", sender: { login: "x[bot]", type: "Bot" }, issue, comment: { body: "/repro" } },
    ],
    [
      false,
      "a command on a pull request",
      "issue_comment",
      { action: "created", sender: mia, issue: { ...issue, pull_request: {} }, comment: { body: "/repro" } },
    ],
    [true, "a label", "issues", { action: "labeled", sender: mia, issue }],
    [false, "somebody's edit", "issues", { action: "edited", sender: mia, issue }],
    [false, "an issue of nobody any more", "issues", { action: "edited", sender: mia, issue: { user: null } }],
    [false, "nonsense", "issues", null],
  ])("is %s for %s", (expected, _what, event, payload) => {
    expect(concerns(event, payload)).toBe(expected);
  });
});
