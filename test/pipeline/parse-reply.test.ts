import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseCodeReply, parseJsonReply } from "../../src/pipeline/parse-reply.ts";

const schema = z.object({ name: z.string(), steps: z.array(z.string()).default([]), done: z.boolean().optional() });
const read = (text: string) => parseJsonReply(text, schema);

describe("parseJsonReply", () => {
  it.each([
    ["plain", '{"name": "a", "steps": ["x"]}'],
    ["fenced", '```json\n{"name": "a", "steps": ["x"]}\n```'],
    ["fenced, with chat around", 'Sure! Here it is:\n```\n{"name": "a", "steps": ["x"]}\n```\nHope it helps.'],
    ["in the middle of chat", 'The answer is {"name": "a", "steps": ["x"]} as asked.'],
    ["after thinking aloud", '<think>maybe {"name": "b"}</think>{"name": "a", "steps": ["x"]}'],
    ["with a trailing comma", '{"name": "a", "steps": ["x",],}'],
    ["with bare keys", '{name: "a", steps: ["x"]}'],
    ["with comments", '{"name": "a", // the name\n"steps": ["x"]}'],
    ["cut before its braces", '{"name": "a", "steps": ["x"'],
    ["cut inside a string", '```json\n{"name": "a", "steps": ["x'],
  ])("reads an object that is %s", (_, text) => {
    expect(read(text)).toEqual({ ok: true, value: { name: "a", steps: ["x"] } });
  });

  it("reads Python's constants and line breaks in strings", () => {
    expect(read('{"name": "a\nb", "done": True}')).toEqual({
      ok: true,
      value: { name: "a\nb", steps: [], done: true },
    });
  });

  it("leaves what looks like JSON inside a string alone", () => {
    expect(read('{"name": "x, ] // {y: None,}"}')).toEqual({
      ok: true,
      value: { name: "x, ] // {y: None,}", steps: [] },
    });
  });

  it.each([
    ["", "there is no JSON object in the answer"],
    ["I cannot do that.", "there is no JSON object in the answer"],
    ["{]}", "the JSON does not parse"],
    [
      '{"steps": 3}',
      "name: Invalid input: expected string, received undefined; steps: Invalid input: expected array, received number",
    ],
  ])("says what is wrong with %j", (text, problem) => {
    expect(read(text)).toEqual({ ok: false, problem });
  });

  it("reads a megabyte of open braces in bounded time", () => {
    expect(read("{".repeat(1_000_000)).ok).toBe(false);
  });
});

describe("parseCodeReply", () => {
  it.each([
    ["a fenced block", "```python\nimport torch\n```"],
    ["a block with chat around", "Here:\n```py\nimport torch\n```\nIt shows the bug."],
    ["a block that is never closed", "```python\nimport torch"],
    ["the longest of several", "```sh\nls\n```\n```python\nimport torch\n```"],
    ["bare code", "import torch"],
    ["bare code after thinking aloud", "<think>```python\nx = 1\ny = 2\n```</think>import torch"],
  ])("reads %s", (_, text) => {
    expect(parseCodeReply(text)).toEqual({ ok: true, value: "import torch\n" });
  });

  it("keeps a fence inside a string of a longer fence", () => {
    expect(parseCodeReply('````python\ntext = """\n```\n"""\n````')).toEqual({
      ok: true,
      value: 'text = """\n```\n"""\n',
    });
  });

  it("has nothing to read in prose", () => {
    expect(parseCodeReply("Sorry, I cannot write that script.")).toEqual({
      ok: false,
      problem: "there is no ```python block in the answer",
    });
  });
});
