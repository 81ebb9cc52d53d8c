import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clone, createClone } from "./support.ts";

let clone: Clone;

beforeEach(async () => {
  clone = await createClone();
});

afterEach(() => clone.remove());

describe("bin/repgen.mjs", () => {
  it("runs the command line with the arguments and passes its exit status on", async () => {
    await clone.linkPackages();
    await clone.write(
      "workers/cli.ts",
      "const code: number = 7; console.log(process.argv.slice(2)); process.exit(code);",
    );

    const { code, stdout } = await clone.start(["./bin/repgen.mjs", "reproduce", "a b"]).ended;

    expect({ code, stdout }).toEqual({ code: 7, stdout: "[ 'reproduce', 'a b' ]\n" });
  });

  it("passes a signal on and waits for what the command line does then", async () => {
    await clone.linkPackages();
    await clone.write(
      "workers/cli.ts",
      'let count = 0; process.on("SIGINT", () => { count += 1; setTimeout(() => { console.log("got", count); process.exit(130); }, 300); });' +
        'setInterval(() => {}, 1000); console.log("ready");',
    );

    const running = clone.start(["./bin/repgen.mjs"]);
    await running.written("ready");
    running.kill("SIGINT");
    const { code, stdout } = await running.ended;

    expect({ code, stdout }).toEqual({ code: 130, stdout: "ready\ngot 1\n" });
  });

  it("ends by the signal that ended the command line", async () => {
    await clone.linkPackages();
    await clone.write("workers/cli.ts", 'process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000);');

    const { code, signal } = await clone.start(["./bin/repgen.mjs"]).ended;

    expect({ code, signal }).toEqual({ code: null, signal: "SIGTERM" });
  });

  it("says what to run where the packages are missing", async () => {
    const { code, stderr } = await clone.start(["./bin/repgen.mjs"]).ended;

    expect(code).toBe(1);
    expect(stderr).toContain(`cd ${clone.folder} && npm ci`);
  });
});
