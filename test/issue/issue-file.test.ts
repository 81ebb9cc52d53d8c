import { describe, expect, it } from "vitest";
import { IssueFault } from "../../src/errors.ts";
import { parseIssueFile } from "../../src/issue/issue-file.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("parseIssueFile", () => {
  it("reads JSON of GitHub's REST API", () => {
    const json = {
      title: " Net fails ",
      body: "It fails.",
      number: 12,
      created_at: "2024-05-01T10:00:00Z",
      html_url: "https://github.com/acme/tinynet/issues/12",
      repository_url: "https://api.github.com/repos/acme/tinynet",
      state: "open",
    };

    expect(parseIssueFile(bytes(JSON.stringify(json)), "issue.json")).toEqual({
      repository: "acme/tinynet",
      number: 12,
      title: "Net fails",
      body: "It fails.",
      createdAt: "2024-05-01T10:00:00Z",
      url: "https://github.com/acme/tinynet/issues/12",
    });
  });

  it("takes the repository from the page's address, and no body for an empty one", () => {
    const json = { title: "x", body: null, html_url: "https://github.com/acme/tinynet/issues/12" };

    expect(parseIssueFile(bytes(JSON.stringify(json)), "ISSUE.JSON")).toEqual({
      repository: "acme/tinynet",
      number: null,
      title: "x",
      body: "",
      createdAt: null,
      url: "https://github.com/acme/tinynet/issues/12",
    });
  });

  it("reads Markdown: the first line is the title", () => {
    expect(parseIssueFile(bytes("\r\n# Net fails\r\n\r\nIt fails.\r\n- here\r\n"), "issue.md")).toEqual({
      repository: null,
      number: null,
      title: "Net fails",
      body: "It fails.\n- here",
      createdAt: null,
      url: null,
    });
  });

  it("replaces bytes that are not UTF-8", () => {
    expect(parseIssueFile(new Uint8Array([0x61, 0xff, 0x62]), "issue.md").title).toEqual("a\uFFFDb");
  });

  it("accepts a million characters and refuses more", () => {
    expect(parseIssueFile(bytes(`t\n${"x".repeat(1_000_000)}`), "issue.md").body).toHaveLength(1_000_000);
    expect(() => parseIssueFile(bytes("x".repeat(1_048_577)), "issue.md")).toThrow(
      "cannot read the issue in issue.md: it has more than 1,048,576 characters; GitHub allows 65,536",
    );
  });

  it.each([
    ["issue.md", " \n\n", "it is empty"],
    ["issue.json", "{", "it is not JSON"],
    ["issue.json", "[]", "an object with title and body"],
    ["issue.json", '{"body": "x"}', "title: "],
    ["issue.json", '{"title": ""}', "title: it is empty"],
    ["issue.json", '{"title": "x", "body": 3}', "body: "],
  ])("says what is wrong with %s holding %j", (filename, text, why) => {
    const parse = () => parseIssueFile(bytes(text), filename);

    expect(parse).toThrow(IssueFault);
    expect(parse).toThrow(why);
  });
});
