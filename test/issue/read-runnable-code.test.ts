import { describe, expect, it } from "vitest";
import { lines, read } from "./an-issue.ts";

const fence = (language: string, ...code: string[]): string => lines(`\`\`\`${language}`, ...code, "```");
const script = ["import torch", "from tinynet import Net", "net = Net(4)", "net(torch.zeros(2, 4))"];

describe("readRunnableCode", () => {
  it("takes a labelled script", () => {
    expect(read(fence("python", ...script)).runnableCode).toEqual(script.join("\n"));
  });

  it("takes a bare block that is Python, without imports, below words that announce it", () => {
    const code = [
      "net = Net (",
      "    width = 4,",
      "    depth = 2",
      ")",
      "x = torch.zeros(2, 4)",
      "print(net(x).shape)",
    ];

    expect(read(lines("With both options set it breaks.", "", "Repro:", fence("", ...code))).runnableCode).toEqual(
      code.join("\n"),
    );
  });

  it("takes Python that the form labelled as shell", () => {
    expect(
      read(lines("### Standalone code to reproduce the issue", "", fence("shell", ...script))).runnableCode,
    ).toEqual(script.join("\n"));
  });

  it("joins pieces in order, definitions that the script uses among them", () => {
    const body = lines(
      "I define",
      fence("py", "class Wrapped(Net):", "    def forward(self, x):", "        return super().forward(x)"),
      "then run",
      fence("py", "import torch", "Wrapped(4)(torch.zeros(1, 4))"),
    );

    expect(read(body).runnableCode).toEqual(
      lines(
        "class Wrapped(Net):",
        "    def forward(self, x):",
        "        return super().forward(x)",
        "",
        "import torch",
        "Wrapped(4)(torch.zeros(1, 4))",
      ),
    );
  });

  it("takes the input of a session and leaves its output", () => {
    const body = fence(
      "pycon",
      ">>> import tinynet",
      ">>> for n in range(2):",
      "...     print(tinynet.Net(n))",
      "...",
      "Net(0)",
      "Net(1)",
      ">>> tinynet.Net(-1)",
      "Traceback (most recent call last):",
      '  File "<stdin>", line 1, in <module>',
      "ValueError: width must be positive",
    );

    expect(read(body).runnableCode).toEqual(
      lines("import tinynet", "for n in range(2):", "    print(tinynet.Net(n))", "", "tinynet.Net(-1)"),
    );
  });

  it("takes the input of an IPython session", () => {
    const body = fence("", "In [1]: import tinynet", "", "In [2]: tinynet.Net(4)", "Out[2]: Net(4)");

    expect(read(body).runnableCode).toEqual(lines("import tinynet", "tinynet.Net(4)"));
  });

  it("cuts off a traceback that was pasted below the code", () => {
    const body = fence(
      "python",
      ...script,
      "",
      "Traceback (most recent call last):",
      '  File "a.py", line 4, in <module>',
      "ValueError: x",
    );

    expect(read(body).runnableCode?.trim()).toEqual(script.join("\n"));
  });

  it("takes code without a fence, up to where the words go on, when no block is to be run", () => {
    const loose = lines("My code is:", ...script, "", "print(net)", "Thanks", "", "Is there a fix?");

    expect(read(loose).runnableCode).toEqual(lines(...script, "", "print(net)"));
    expect(read(lines(loose, fence("py", "import b", "b.run()"))).runnableCode).toEqual(lines("import b", "b.run()"));
  });

  it("leaves out notebook commands", () => {
    expect(read(fence("python", "!pip install tinynet", "%matplotlib inline", ...script)).runnableCode).toEqual(
      script.join("\n"),
    );
  });

  it("takes a uniformly indented script that has its imports", () => {
    expect(read(fence("python", ...script.map((line) => `    ${line}`))).runnableCode).toEqual(script.join("\n"));
  });

  it.each([
    [
      "a fragment that starts indented",
      lines("The class lacks", fence("", "   @property", "   def width(self):", "        return self.net.width")),
    ],
    [
      "a method below a link to it",
      lines(
        "https://github.com/acme/tinynet/blob/main/tinynet/net.py#L3-L5",
        fence("python", "def forward(self, x):", "    return self.proj(x)"),
      ),
    ],
    [
      "a line that uses self outside of a class",
      lines("Look at this:", fence("python", "out = self.proj(x)", "return out")),
    ],
    [
      "a line and what it should be",
      lines(
        "The code in attend.py is",
        fence("py", "mask = mask.flip(1)"),
        "and should be",
        fence("py", "mask = mask.flip(2)"),
      ),
    ],
    [
      "a quoted call",
      lines("Here is the line in the code that is wrong:", fence("python", "attn = softmax(sim, dim=1)")),
    ],
    ["a sketch with its parts left out", fence("", "net = Net(...)", "...", "net(x)")],
    ["a log", fence("", "epoch 1: loss=0.3 lr=0.1", "epoch 2: loss=0.2 lr=0.1")],
    ["key=value output", fence("", "loss=0.3 lr=0.1", "loss=0.2 lr=0.1")],
    ["commands", fence("bash", "pip install tinynet", "python train.py --width 4")],
    ["commands without a label", fence("", "CUDA_VISIBLE_DEVICES=0 python train.py --width 4")],
    ["a diff", fence("diff", "-x = f(1)", "+x = f(2)")],
    ["an environment", lines("### Versions", fence("", "torch==2.1.0", "numpy==1.26.0", "Python 3.10"))],
    ["what a log prints", lines("### Error messages and logs", fence("", "x = f(1)"))],
    ["a printed value", fence("", "losses:  [torch.Size([]), torch.Size([1])]")],
    ["prose", "I call net(x) and it fails."],
    ["an import in a sentence", "import torch fails with tinynet installed, as does from tinynet import Net."],
  ])("does not take %s", (_, body) => {
    expect(read(body).runnableCode).toEqual(null);
  });
});
