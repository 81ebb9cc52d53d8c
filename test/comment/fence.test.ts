import { describe, expect, it } from "vitest";
import { capComment, fenceCode, inlineCode, plainText } from "../../src/comment/fence.ts";

describe("fenceCode", () => {
  it("fences code with its language", () => {
    expect(fenceCode("x = 1\n", "python")).toEqual("```python\nx = 1\n```");
  });

  it("uses a fence longer than any run of backticks inside", () => {
    expect(fenceCode("```\n`````\n", "")).toEqual("``````\n```\n`````\n\n``````".replace("\n\n", "\n"));
  });

  it("leaves out a language that is not a word", () => {
    expect(fenceCode("x", "py\n```\n# heading")).toEqual("```\nx\n```");
  });
});

describe("inlineCode", () => {
  it.each([
    ["x", "`x`"],
    ["a\n b", "`a b`"],
    ["a`b", "``a`b``"],
    ["`a``", "``` `a`` ```"],
    ["  ", ""],
  ])("quotes %j as %j", (text, code) => {
    expect(inlineCode(text)).toEqual(code);
  });
});

describe("plainText", () => {
  it.each([
    ["mentions", "ask @user and @org/team, @@x, <b>@</b>y", "ask user and org/team, x, y"],
    ["references", "see #12, acme/tinynet#3 and GH-4", "see no. 12, no. 3 and no. 4"],
    ["closing keywords", "Fixes #12 and closes: acme/x#3, resolved the doubt", "no. 12 and no. 3, resolved the doubt"],
    [
      "images and links",
      "![a](https://x/y.png) [text](https://x) https://x.y/z www.x.y",
      "text (link left out) (link left out)",
    ],
    ["HTML", "<img src=x onerror=y> a <!-- b --> <details open>c</details> 1 < 2", "a  c 1 \\< 2"],
    [
      "Markdown",
      "**a** _b_ `c` # d ~e~ |f| $g$ [h]",
      "\\*\\*a\\*\\* \\_b\\_ \\`c\\` \\# d \\~e\\~ \\|f\\| \\$g\\$ \\[h\\]",
    ],
    ["blocks", "# a\n- b\n1. c\n> d\n    e\n===", "\\# a\n\\- b\n1\\. c\n\\> d\ne\n\\==="],
    ["invisible characters", "a\u200Bb\u202Ec", "abc"],
    ["what a removal would put together", "@<b></b>user #<i></i>5 [@](x)name", "user no. 5 name"],
    ["ordinary words", "The size of x-transformers (3) is 4.", "The size of x-transformers (3) is 4."],
  ])("takes the meaning from %s", (_, text, plain) => {
    expect(plainText(text)).toEqual(plain);
  });
});

describe("capComment", () => {
  const notice = "\n\n_The rest is left out: it does not fit into one comment._\n";

  it("leaves a comment alone that fits", () => {
    expect(capComment("x".repeat(100), 100)).toEqual("x".repeat(100));
  });

  it("cuts at a line", () => {
    const text = Array.from({ length: 50 }, (_, index) => `line ${index}`).join("\n");

    const capped = capComment(text, 100);

    expect(capped).toEqual(`line 0\nline 1\nline 2\nline 3\nline 4${notice}`);
    expect(capped.length).toBeLessThanOrEqual(100);
  });

  it("closes a code block and details that the cut leaves open", () => {
    const text = `<details>\n\n<details>\n\n\`\`\`\`python\n${"x = 1\n".repeat(100)}\`\`\`\`\n\n</details>\n</details>`;

    const capped = capComment(text, 200);

    expect(capped).toEqual(
      `<details>\n\n<details>\n\n\`\`\`\`python\n${"x = 1\n".repeat(13).trimEnd()}\n\`\`\`\`\n\n</details>\n</details>${notice}`,
    );
    expect(capped.length).toBeLessThanOrEqual(200);
  });

  it("does not count details and fences inside code", () => {
    const text = `\`\`\`\`\n<details>\n\`\`\`\n\`\`\`\`\n${"word\n".repeat(100)}`;

    expect(capComment(text, 120)).toMatch(/^````\n<details>\n```\n````\n(?:word\n)*word\n\n_The rest/);
  });

  it("cuts within a first line that is too long, between characters", () => {
    const capped = capComment("𝒳".repeat(100), 101);

    expect(capped.length).toBeLessThanOrEqual(101);
    expect(capped.isWellFormed()).toEqual(true);
    expect(capped.endsWith(notice)).toEqual(true);
  });
});
