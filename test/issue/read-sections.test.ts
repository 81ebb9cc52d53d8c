import { describe, expect, it } from "vitest";
import { lines, read } from "./an-issue.ts";

describe("readSections", () => {
  it.each([
    ["PyTorch", ["🐛 Describe the bug", "Versions"]],
    ["transformers", ["System Info", "Who can help?", "Information", "Tasks", "Reproduction", "Expected behavior"]],
    ["diffusers", ["Describe the bug", "Reproduction", "Logs", "System Info", "Who can help?"]],
    ["Lightning", ["Bug description", "What version are you seeing the problem on?", "How to reproduce the bug"]],
    ["ultralytics", ["Search before asking", "Ultralytics YOLO Component", "Bug", "Minimal Reproducible Example"]],
    ["TensorFlow", ["Issue type", "TensorFlow version", "Standalone code to reproduce the issue"]],
  ])("reads the headings of %s' issue form", (_, headings) => {
    const body = headings.map((heading) => `### ${heading}\n\nanswer to ${heading}`).join("\n\n");

    expect(read(body).sections).toEqual(headings.map((heading) => ({ heading, text: `answer to ${heading}` })));
  });

  it("keeps the text before the first heading, and code under its heading", () => {
    const body = lines("Hello", "## Repro ##", "```py", "# not a heading", "```");

    expect(read(body).sections).toEqual([
      { heading: "", text: "Hello" },
      { heading: "Repro", text: "```py\n# not a heading\n```" },
    ]);
  });

  it("takes a short phrase in bold on a line of its own for a heading", () => {
    const body = lines("**To Reproduce:**", "run it", "**I think the mask should be inverted.**", "**Logs**", "none");

    expect(read(body).sections).toEqual([
      { heading: "To Reproduce", text: "run it\n**I think the mask should be inverted.**" },
      { heading: "Logs", text: "none" },
    ]);
  });

  it("gives a field that was left empty an empty text", () => {
    expect(read("### More info\n\n_No response_").sections).toEqual([{ heading: "More info", text: "" }]);
  });

  it("has no section for an empty body", () => {
    expect(read("").sections).toEqual([]);
  });
});
