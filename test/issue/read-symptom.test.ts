import { describe, expect, it } from "vitest";
import { readIssue } from "../../src/issue/read-issue.ts";
import { readSymptom } from "../../src/issue/read-symptom.ts";
import type { Symptom } from "../../src/types.ts";
import { anIssue, lines } from "./an-issue.ts";

function symptomOf(body: string, title = "A report"): Symptom | null {
  const issue = anIssue(body, title);
  return readSymptom(readIssue(issue), issue);
}

const script = lines("```python", "import torch", "import tinynet", "tinynet.Net(4)(torch.zeros(2, 4))", "```");
const unnamed: Symptom = { kind: "exception", type: null, message: null, where: null };

describe("readSymptom", () => {
  it("takes the last traceback: class, first line of the message, the project's function", () => {
    const body = lines(
      "Traceback (most recent call last):",
      '  File "/home/u/run.py", line 9, in <module>',
      "    net(x)",
      '  File "/v/lib/python3.11/site-packages/tinynet/net.py", line 31, in forward',
      "    return self.norm(x)",
      '  File "/v/lib/python3.11/site-packages/torch/nn/functional.py", line 2, in layer_norm',
      "    return torch.layer_norm(x)",
      "tinynet.errors.ShapeError:   sizes   differ",
      "  left: 3",
    );

    expect(symptomOf(body)).toEqual({
      kind: "exception",
      type: "ShapeError",
      message: "sizes differ",
      where: "forward",
    });
  });

  it("names no place when the error comes out of the reporter's own script", () => {
    const body = lines(
      "Traceback (most recent call last):",
      '  File "run.py", line 9, in <module>',
      "    main()",
      '  File "run.py", line 5, in main',
      "    x + y",
      "RuntimeError: sizes differ",
    );

    expect(symptomOf(body)).toEqual({ kind: "exception", type: "RuntimeError", message: "sizes differ", where: null });
  });

  it("tells the project's own lib folder from the standard library", () => {
    const body = lines(
      "Traceback (most recent call last):",
      '  File "/home/u/tinynet/lib/net.py", line 3, in gate',
      '  File "/usr/lib/python3.11/json/decoder.py", line 1, in decode',
      "ValueError: no value",
    );

    expect(symptomOf(body)).toEqual({ kind: "exception", type: "ValueError", message: "no value", where: "gate" });
  });

  it("prefers the error of a child to its launcher's", () => {
    const body = lines(
      "Traceback (most recent call last):",
      '  File "/x/tinynet/data.py", line 9, in load',
      "ValueError: no data",
      "Traceback (most recent call last):",
      '  File "/v/lib/python3.11/site-packages/torch/distributed/run.py", line 9, in run',
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    );

    expect(symptomOf(body)).toEqual({ kind: "exception", type: "ValueError", message: "no data", where: "load" });
  });

  it("takes an error in the title", () => {
    expect(symptomOf("see title", "TypeError: got an unexpected keyword argument 'mask'")).toEqual({
      kind: "exception",
      type: "TypeError",
      message: "got an unexpected keyword argument 'mask'",
      where: null,
    });
  });

  it("has no message for an error without words, and cuts a long one", () => {
    expect(
      symptomOf(lines("Traceback (most recent call last):", '  File "/x/a.py", line 1, in f', "AssertionError")),
    ).toEqual({
      kind: "exception",
      type: "AssertionError",
      message: null,
      where: "f",
    });
    expect(symptomOf(`ValueError: ${"word ".repeat(100)}`)).toEqual({
      kind: "exception",
      type: "ValueError",
      message: "word ".repeat(40).trim(),
      where: null,
    });
  });

  it.each([
    ["Then: Segmentation fault (core dumped)", "SIGSEGV"],
    ["The worker dies with exit code -11", "SIGSEGV"],
    ["free(): invalid pointer\nAborted (core dumped)", "SIGABRT"],
    ["Floating point exception (core dumped)", "SIGFPE"],
    ["It ends with core dumped", null],
  ])("reads a crash: %s", (body, signal) => {
    expect(symptomOf(body)).toEqual({ kind: "crash", signal });
  });

  it.each([
    "Training hangs after the first epoch.",
    "The data loader is stuck forever with num_workers=2",
    "It runs into a deadlock",
    "The script freezes",
    "`fit` never returns",
  ])("reads a hang: %s", (body) => {
    expect(symptomOf(body)).toEqual({ kind: "hang", afterSeconds: 20 });
  });

  it("takes an interrupted run for a hang", () => {
    const body = lines(
      "Traceback (most recent call last):",
      '  File "/x/a.py", line 1, in f',
      "    wait()",
      "KeyboardInterrupt",
    );

    expect(symptomOf(body)).toEqual({ kind: "hang", afterSeconds: 20 });
  });

  it("reads the warning that the report is about", () => {
    expect(
      symptomOf("Calling step gives\n\n/x/a.py:3: UserWarning: lr_scheduler.step() before optimizer.step()"),
    ).toEqual({
      kind: "warning",
      category: "UserWarning",
      message: "lr_scheduler.step() before optimizer.step()",
    });
  });

  it("keeps code in a warning's message, and ends it with the span that quotes it", () => {
    const message = "Call `a.step()` before `b.step()`";
    const wanted = { kind: "warning", category: "UserWarning", message };
    expect(symptomOf(`I get this warning:\n\n/x/a.py:3: UserWarning: ${message}`)).toEqual(wanted);
    expect(symptomOf("I get the warning `UserWarning: too slow` each time")).toEqual({
      ...wanted,
      message: "too slow",
    });
  });

  it("does not take a warning within a log for the symptom", () => {
    expect(symptomOf(lines("The output is twice as large.", "```", "/x/a.py:3: UserWarning: slow", "```"))).toEqual(
      null,
    );
  });

  it.each([
    "If you set both `wide` and `deep` you get an error.",
    "The following code fails:",
    "This raises an exception with two layers.",
    "It crashes in the forward pass.",
  ])("knows that runnable code ends with an error: %s", (words) => {
    expect(symptomOf(lines(words, "", script))).toEqual(unnamed);
  });

  it.each([
    "There is no error, the mask has no effect.",
    "It runs without any error but the output is constant.",
    "It should raise an error for a negative width.",
    "It doesn't raise an error.",
    "It fails silently.",
    "The loss fails to decrease.",
    "This gives an error of 0.3, the relative error is too high.",
    "I get NaN and later an error.",
    "The output is wrong.",
  ])("leaves a silent bug to judgement: %s", (words) => {
    expect(symptomOf(lines(words, "", script))).toEqual(null);
  });

  it.each([
    "It will fail with the option set.",
    "No segmentation fault any more.",
    "It does not hang.",
    "It temporarily hangs after every step.",
    "I froze the encoder and it freezes the layers.",
    "The loss is stuck forever.",
    "I changed the shape.",
    "",
  ])("decides nothing for: %s", (body) => {
    expect(symptomOf(body)).toEqual(null);
  });
});
