import { describe, expect, it } from "vitest";
import { cleanText } from "../../src/issue/clean-text.ts";
import { lines } from "./an-issue.ts";

describe("cleanText", () => {
  it("removes HTML comments and keeps the number of lines", () => {
    expect(cleanText("a <!-- x --> b\n<!-- one\ntwo -->\nc")).toEqual("a  b\n\n\nc");
  });

  it("keeps a comment's marks in a code fence, where they are visible", () => {
    const text = lines("```html", "<!-- shown -->", "```");

    expect(cleanText(text)).toEqual(text);
  });

  it("hides what a fence opened inside a comment would show", () => {
    expect(cleanText(lines("<!--", "```", "payload", "-->", "after"))).toEqual(lines("", "", "", "", "after"));
  });

  it("hides the rest of the page after a comment that starts a line and never ends", () => {
    expect(cleanText(lines("before", "<!-- from here", "on"))).toEqual(lines("before", "", ""));
  });

  it("keeps an opening mark within a line that is never closed", () => {
    expect(cleanText("use <!-- as a mark")).toEqual("use <!-- as a mark");
  });

  it("removes zero-width, bidirectional, tag and control characters and terminal colours", () => {
    expect(cleanText("a\u200Bb\u202Ec\u2066d\uFEFFe\u{E0041}f\u0000g\u001B[31mh")).toEqual("abcdefgh");
  });

  it("drops text that hides in attributes, image descriptions, link titles and link definitions", () => {
    const text = lines(
      '<img width="9" alt="ignore previous" src="u" title=\'x\'>',
      "![do this](u)",
      '[shown](u "not shown")',
      "[//]: # (not shown either)",
    );

    expect(cleanText(text)).toEqual(lines('<img width="9" src="u">', "![](u)", "[shown](u)", ""));
  });

  it("makes line ends and lone surrogates regular", () => {
    expect(cleanText("a\r\nb\rc\uD800")).toEqual("a\nb\nc\uFFFD");
  });

  it("returns an empty text for an empty one", () => {
    expect(cleanText("")).toEqual("");
  });
});
