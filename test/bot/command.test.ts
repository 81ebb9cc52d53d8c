import { describe, expect, it } from "vitest";
import { parseCommand, type RunOptions } from "../../src/bot/command.ts";

const none: RunOptions = {
  ref: null,
  python: null,
  withPackages: [],
  gpu: null,
  runs: null,
  model: null,
  hint: null,
};

describe("parseCommand", () => {
  it.each<[string, Partial<RunOptions>]>([
    ["/repro", {}],
    ["Thanks!\n\n/repro --ref v1.2.0\n\nbye", { ref: "v1.2.0" }],
    ["/repro --ref=feature/x --runs 5 --cpu", { ref: "feature/x", runs: 5, gpu: false }],
    [
      "/repro --with timm==1.0.9 --with 'torch>=2,<3' --with einops",
      { withPackages: ["timm==1.0.9", "torch>=2,<3", "einops"] },
    ],
    ["/repro --with torch>=2.1 --gpu", { withPackages: ["torch>=2.1"], gpu: true }],
    ['/repro --hint "only with a mask, say $HOME and *"', { hint: "only with a mask, say $HOME and *" }],
    ["/repro --hint “typed on a phone” --python 3.11", { hint: "typed on a phone", python: "3.11" }],
    ["> an earlier line\n\n/repro --model qwen2.5-coder:7b", { model: "qwen2.5-coder:7b" }],
    ["\r\n/repro\r\n", {}],
    ["<PRE>\nx\n</pre>\n/repro", {}],
    ["Not `<pre>`:\n/repro", {}],
    ['/repro --hint "--fp16=true breaks"', { hint: "--fp16=true breaks" }],
    ['/repro --hint "> 0 fails" --with "a<2"', { hint: "> 0 fails", withPackages: ["a<2"] }],
  ])("starts a run for %j", (body, options) => {
    expect(parseCommand(body)).toEqual({ name: "start", options: { ...none, ...options } });
  });

  it.each([
    ["/repro status", { name: "status" }],
    ["/repro cancel", { name: "cancel" }],
    ["/repro help", { name: "help" }],
    ["/repro retry", { name: "retry", hint: null }],
    ['/repro retry "use batch size 1"', { name: "retry", hint: "use batch size 1" }],
    ['/repro retry "<class> breaks"', { name: "retry", hint: "<class> breaks" }],
    ["/repro status\n/repro cancel", { name: "status" }],
  ])("reads %j", (body, command) => {
    expect(parseCommand(body)).toEqual(command);
  });

  it.each([
    "> /repro",
    "> > /repro cancel",
    "```\n/repro\n```",
    "```sh\n/repro",
    "text\n\n    /repro",
    "- ~~~\n  /repro\n  ~~~",
    "write `/repro` to start",
    "please /repro",
    " /repro",
    "/reproduce",
    "/REPRO",
    "<!-- \n/repro\n-->",
    "<pre>\n/repro\n</pre>",
    "<pre lang='sh'><code>\n/repro cancel",
    "",
  ])("takes nothing for a command in %j", (body) => {
    expect(parseCommand(body)).toBeNull();
  });

  it.each([
    ["/repro now", "there is no now"],
    ["/repro --fast", "there is no --fast"],
    ["/repro --ref", "--ref needs a value such as --ref v1.2.0"],
    ["/repro --ref -x", "--ref needs a value"],
    ["/repro --python three", "--python needs a value such as --python 3.11"],
    ["/repro --runs 0", "--runs needs a value"],
    ["/repro --runs 21", "20 at most"],
    ["/repro --with --index-url=http://x", "--with needs a value"],
    ["/repro --with 'a @ https://x.example/a.whl'", "--with needs a value"],
    ["/repro --cpu --gpu", "exclude each other"],
    ['/repro --hint "open', "a quote is not closed"],
    ["/repro --ref a; rm -rf /", "has to be quoted"],
    ["/repro --ref $(id)", "has to be quoted"],
    ["/repro ${", "has to be quoted"],
    ["/repro --hint ${x:-y", "has to be quoted"],
    ["/repro status now", "status takes nothing"],
    ["/repro retry use batch size 1", "has to be in quotes"],
  ])("does not understand %j, and says why", (body, problem) => {
    expect(parseCommand(body)).toEqual({ name: "unknown", problem: expect.stringContaining(problem) });
  });
});
