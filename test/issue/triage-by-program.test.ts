import { describe, expect, it } from "vitest";
import { readIssue } from "../../src/issue/read-issue.ts";
import { triageByProgram } from "../../src/issue/triage-by-program.ts";
import type { Triage } from "../../src/types.ts";
import { anIssue, lines } from "./an-issue.ts";

function triage(title: string, ...body: string[]): Triage | null {
  const issue = anIssue(lines(...body), title);
  return triageByProgram(issue, readIssue(issue));
}

const image = '<img width="400" alt="image" src="https://github.com/user-attachments/assets/1-2">';
const link = "https://github.com/acme/tinynet/blob/0a1b2c3/tinynet/net.py#L12";

describe("triageByProgram", () => {
  it.each([
    ["It does not work", ""],
    ["Problem with training", "Please help."],
    ["Bug", "### Describe the bug\n\n_No response_"],
    ["Hi", "<!-- a long template that nobody filled in, with very many words in it that say nothing at all -->"],
  ])("asks what was run and what happened when nothing can be checked: %s", (title, body) => {
    expect(triage(title, body)).toEqual({
      is: "needs-information",
      missing:
        "What was run (a short script), what happened (the error as text, or the wrong result), and what was expected.",
    });
  });

  it.each([
    ["Training stops", [image]],
    [
      "Translate: field 'beam_width' not in config",
      [
        "## Bug",
        image,
        "### To Reproduce",
        "tiny-generate $ROOT \\",
        "  --config /root/x/config.yaml \\",
        "  --beam 4",
        "### Expected behavior",
        "what can I do?",
      ],
    ],
    ["Error in the first epoch", ["![Screenshot 2024](https://x.y/z.png)", "", "this happens"]],
  ])("asks for the error as text when only an image shows it: %s", (title, body) => {
    expect(triage(title, ...body)).toEqual({
      is: "needs-information",
      missing:
        "The error as text, with its whole traceback, and the code that leads to it: the report shows them only in an image.",
    });
  });

  it.each([
    ["How do I train on my own images?", ["I have 300 pictures of birds and would like to use them."]],
    ["[Question] Is there a pretrained checkpoint?", [""]],
    ["question", ["How can I change the learning rate?"]],
  ])("answers a question of use: %s", (title, body) => {
    expect(triage(title, ...body)).toEqual({
      is: "not-a-bug",
      why: "It asks how something is used and reports nothing that goes wrong.",
    });
  });

  it("answers a question whether a training result is normal", () => {
    const body = [
      "I train the small model on pets with and without dropout.",
      "The two curves cross at epoch ten. Is that normal for this size?",
      "from tinynet import Net",
      "net = Net(",
      "width = 4)",
      "",
      image,
    ];

    expect(triage("Curves of training and validation cross", ...body)).toEqual({
      is: "not-a-bug",
      why: "It asks whether a result is normal and reports nothing that goes wrong.",
    });
  });

  it.each([
    ["Typo in README", ["`lenght` should be `length`"]],
    ["Wrong formula in the docstring of Attention", [link, "it should be a sum"]],
    ["Docs: broken link to the tutorial", ["https://x.y/z answers 404"]],
  ])("tells what only the documentation says: %s", (title, body) => {
    expect(triage(title, ...body)).toEqual({
      is: "not-a-bug",
      why: "It is about the text of the documentation: nothing that runs would show it.",
    });
  });

  it.each([
    [
      "a line and its replacement",
      "Mistake in the mask",
      [`In this file: ${link.replace("#L12", "")}`, "On line 12: `Mask(3)`", "It should be `Mask(4)`"],
    ],
    [
      "a link and doubt",
      "Bug in the attention of the UNet?",
      [link, "Is it not the other axis? Correct me if I am wrong. Is this normal?"],
    ],
    ["code and traceback", "Net fails for one channel", ["```py", "import tinynet", "tinynet.Net(1)()", "```"]],
    ["an image, and the file in the title", "tinynet -> cross_net.py(mistake)", ["![shot](https://x.y/z.png)"]],
    [
      "an unfenced line",
      "MAE bug!",
      [
        "I ran the example of README.md, but there was a bug.",
        "Please check the code below.",
        "tokens = tokens + self.encoder.table[:, 1:(n + 1)",
      ],
    ],
    ["an option in a code span and a link", "[Bug] Custom bias fails", ["I found that `fused=True` will fail.", link]],
    [
      "a code span that is not closed",
      "Fill not used in `align`",
      ["It seems the fill_id is not used when calling `F.pad(..., value=0).", link],
    ],
    [
      "a parameter in a code span and a gist",
      "weight doesn't update",
      ["It seems that `net.head.weight` is not used. Should it be removed?", "- https://gist.github.com/u/1"],
    ],
    ["code without imports", "two options error", ["You get an error.", "```", "net = Net(a=1)", "net(x)", "```"]],
    [
      "a quoted property",
      "Missing width in guide.py",
      ["It lacks", "```", "   @property", "   def width(self):", "        return 1", "```"],
    ],
    [
      "prose that names calls",
      "Rotating causes NaNs",
      [
        "After rotary.rotate_all(q, k) there are a few NaNs, which give a NaN loss. What could be the cause? How can I address it?",
      ],
    ],
    ["a printed error", "name is not defined", ["NameError: name 'x' is not defined"]],
    ["a code span and a claim", "[BUG] ResidualNet always builds its MLPs", ["Even if `mlp=False`.", link]],
    [
      "a question that names a fault",
      "How can I avoid the crash in eval?",
      ["It crashes each time that I evaluate on the second half of the images of birds."],
    ],
    ["a typo in code", "Typo in MultiGate", ["`ttention` should be `attention`"]],
    [
      "a README example that fails",
      "README example outdated",
      ["The example for images of birds fails with an exception as soon as there is more than one."],
    ],
    ["a formula of the code", "Formula of the advantage is off", [link, "this should be r_{t+2} instead of r_{t+1}"]],
    ["an image below a title that names code", "MultiGate drops its mask", ["![shot](https://x.y/z.png)"]],
    [
      "a question whether a fault is normal",
      "Different results",
      ["The output is wrong with dropout on, and only then, for every image that I tried. Is this normal?"],
    ],
  ])("turns no report away that has %s", (_, title, body) => {
    expect(triage(title, ...body)).toEqual(null);
  });
});
