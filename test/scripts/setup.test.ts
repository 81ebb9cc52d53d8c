import { readFile } from "node:fs/promises";
import { getuid } from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clone, createClone } from "./support.ts";

const LOCK = JSON.stringify({ packages: { "": {}, "node_modules/a": { version: "1.0.0" } } });
const isRoot = getuid?.() === 0;

let clone: Clone;

beforeEach(async () => {
  clone = await createClone();
  await clone.write("workers/cli.ts", 'console.log("cli", ...process.argv.slice(2));');
});

afterEach(() => clone.remove());

/** Programs that answer every question with yes. */
async function provide(...names: string[]): Promise<void> {
  for (const name of names) await clone.writeProgram(name, "exit 0");
}

describe("scripts/setup.mjs", () => {
  it("installs packages when the lock file says others than are there, and not again", async () => {
    await clone.write("package-lock.json", LOCK);
    await clone.writeProgram(
      "npm",
      `echo "npm $*"; /bin/mkdir -p node_modules; /bin/cp package-lock.json node_modules/.package-lock.json`,
    );

    const first = await clone.start(["./scripts/setup.mjs", "--no-environment"]).ended;
    const second = await clone.start(["./scripts/setup.mjs", "--no-environment"]).ended;
    await clone.write("package-lock.json", LOCK.replace("1.0.0", "1.0.1"));
    const changed = await clone.start(["./scripts/setup.mjs", "--no-environment"]).ended;

    expect(first).toMatchObject({ code: 0, stdout: "npm ci\n" });
    expect(first.stderr).toMatch(/^setup: installing npm packages…\nsetup: installing npm packages: done in \d+ s\n$/);
    expect(second).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
    expect(changed).toMatchObject({ code: 0, stdout: "npm ci\n" });
  });

  it("ends with npm's failure", async () => {
    await clone.write("package-lock.json", LOCK);
    await clone.writeProgram("npm", "exit 3");

    const { code, stderr } = await clone.start(["./scripts/setup.mjs", "--", "repgen", "demo"]).ended;

    expect(code).toBe(3);
    expect(stderr).toContain("setup: installing npm packages failed (exit status 3).");
  });

  it("prepares the environment and then runs what follows, with its exit status", async () => {
    await clone.linkPackages();
    await provide("git", "python3", "bwrap");
    await clone.write(
      "workers/cli.ts",
      'console.log("cli", ...process.argv.slice(2)); process.exit(process.argv[2] === "demo" ? 5 : 0);',
    );

    const { code, stdout } = await clone.start(["./scripts/setup.mjs", "--", "repgen", "demo", "--x"]).ended;

    expect({ code, stdout }).toEqual({ code: 5, stdout: "cli setup\ncli demo --x\n" });
  });

  it("prepares the environment once, and again for other settings or in another cache", async () => {
    await clone.linkPackages();
    await provide("git", "python3", "bwrap");
    const setUp = async (env: Record<string, string>) => (await clone.start(["./scripts/setup.mjs"], env).ended).stdout;

    const outputs = [
      await setUp({}),
      await setUp({}),
      await setUp({ PIP_INDEX_URL: "https://mirror.example/simple" }),
      await setUp({ REPGEN_CACHE: `${clone.folder}/other` }),
      await setUp({ REPGEN_CACHE: `${clone.folder}/other` }),
    ];

    expect(outputs).toEqual(["cli setup\n", "", "cli setup\n", "cli setup\n", ""]);
  });

  it("stops where the environment cannot be prepared", async () => {
    await clone.linkPackages();
    await provide("git", "python3", "bwrap");
    await clone.write("workers/cli.ts", "process.exit(4);");

    const { code } = await clone.start(["./scripts/setup.mjs", "--", "repgen", "demo"]).ended;

    expect(code).toBe(4);
  });

  it("runs a program of the packages under Node 24", async () => {
    await clone.linkPackages();

    const { code, stdout } = await clone.start(["./scripts/setup.mjs", "--no-environment", "--", "vitest", "--version"])
      .ended;

    expect(code).toBe(0);
    expect(stdout).toMatch(/^vitest\/\S+ \S+ node-v(2[4-9]|[3-9]\d)\./);
  });

  it("says what to run where programs are missing and it cannot install them", async () => {
    await clone.linkPackages();
    await provide("git");

    const { code, stdout, stderr } = await clone.start(["./scripts/setup.mjs", "--", "repgen", "demo"]).ended;

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("Not there: Python with venv, bubblewrap (or a Docker engine that answers).");
    expect(stderr).toContain("sudo apt-get install --yes --no-install-recommends python3 python3-venv bubblewrap\n");
  });

  it("takes a Docker engine in place of bubblewrap", async () => {
    await clone.linkPackages();
    await provide("git", "python3", "docker");

    expect(await clone.start(["./scripts/setup.mjs"]).ended).toMatchObject({ code: 0, stdout: "cli setup\n" });
  });

  it.skipIf(!isRoot)("installs what is missing with apt (needs root)", async () => {
    await clone.linkPackages();
    await provide("git", "python3");
    const log = `${clone.folder}/apt.log`;
    await clone.writeProgram(
      "apt-get",
      `echo "$*" >> ${log}; if [ "$1" = install ]; then /bin/cp ${clone.programs}/git ${clone.programs}/bwrap; fi`,
    );

    const { code, stdout } = await clone.start(["./scripts/setup.mjs"]).ended;

    expect({ code, stdout }).toEqual({ code: 0, stdout: "cli setup\n" });
    expect(await readFile(log, "utf8")).toBe(
      "--version\nupdate --quiet\ninstall --yes --no-install-recommends bubblewrap\n",
    );
  });

  it("refuses an option that it does not know", async () => {
    const { code, stderr } = await clone.start(["./scripts/setup.mjs", "--fast"]).ended;

    expect(code).toBe(1);
    expect(stderr).toContain("Unknown option --fast");
  });
});
