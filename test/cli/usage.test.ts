import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { startServer } from "../doubles/http-server.ts";
import {
  BASE_TIMEOUT_MS,
  createDesk,
  type Desk,
  hasBubblewrap,
  isThere,
  raisingBody,
  raisingReport,
  writeToy,
} from "./support.ts";

describe.skipIf(!hasBubblewrap)("the command line with wrong usage (needs bubblewrap)", () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await createDesk();
    await writeToy(desk, raisingBody, raisingReport);
    await desk.write("broken.json", '{"title": ');
    await desk.write("empty.md", "\n \n");
    await desk.write("file", "");
  }, BASE_TIMEOUT_MS);
  afterAll(() => desk[Symbol.asyncDispose]());

  const project = ["--repo", "toy-project"];

  it.each([
    { what: "an unknown option", argv: ["issue.md", ...project, "--fast"], says: "unknown option '--fast'" },
    { what: "no issue", argv: [], says: "missing required argument 'issue'" },
    { what: "an issue without repository", argv: ["issue.md"], says: "Add --repo FOLDER" },
    { what: "no such folder", argv: ["issue.md", "--repo", "nowhere"], says: "there is no such folder" },
    { what: "a file for a folder", argv: ["issue.md", "--repo", "file"], says: "there is no such folder" },
    { what: "an empty --repo", argv: ["issue.md", "--repo", ""], says: "there is no such folder" },
    { what: "a URL of another kind", argv: ["issue.md", "--repo", "git@host:a/b.git"], says: "read by https://" },
    { what: "no version of Python", argv: ["issue.md", ...project, "--python", "three"], says: "such as 3.11" },
    { what: "a release without version", argv: ["issue.md", "--repo", "pypi:torch"], says: "pypi:NAME==VERSION" },
    {
      what: "a release with a ref",
      argv: ["issue.md", "--repo", "pypi:a==1", "--ref", "main"],
      says: "--ref does not go with --repo pypi:",
    },
    { what: "no run at all", argv: ["issue.md", ...project, "--runs", "0"], says: "a whole number from 1" },
    {
      what: "a URL that is no issue",
      argv: ["https://github.com/o/r/pull/3", ...project],
      says: "https://github.com/OWNER/REPO/issues/N",
    },
    {
      what: "an issue of another forge",
      argv: ["https://gitlab.example/o/r/issues/3", ...project],
      says: "https://github.com/OWNER/REPO/issues/N",
    },
    {
      what: "an option of pip for --with",
      argv: ["issue.md", ...project, "--with=--index-url=x"],
      says: "timm==1.0.9",
    },
    {
      what: "a URL for --with",
      argv: ["issue.md", ...project, "--with", "a @ https://x.example/a"],
      says: "timm==1.0.9",
    },
    {
      what: "a folder that no system has",
      argv: ["issue.md", ...project, "--out", "/proc/x/y"],
      says: "Choose another with --out",
    },
    { what: "no such issue file", argv: ["gone.md", ...project], says: "there is no such file" },
    { what: "a folder for an issue", argv: ["toy-project", ...project], says: "a .md file or a .json file" },
    { what: "a file for --out", argv: ["issue.md", ...project, "--out", "file"], says: "Choose another with --out" },
    { what: "--record without a model", argv: ["issue.md", ...project, "--record", "r.json"], says: "OPENAI_BASE_URL" },
  ])("ends with 2 and says what to write: $what", async ({ argv, says }) => {
    const { status, stdout, stderr } = await desk.repgen(["reproduce", ...argv]);

    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(says);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(isThere(desk, "runs")).toBe(false);
  });

  it("tells its version", async () => {
    const { status, stdout } = await desk.repgen(["--version"]);

    expect({ status, stdout }).toEqual({ status: 0, stdout: `${manifest.version}\n` });
  });

  it("names the variable of the environment that is wrong", async () => {
    const { status, stderr } = await desk.repgen(["reproduce", "issue.md", ...project], {
      env: { REPGEN_SANDBOX: "podman" },
    });

    expect(status).toBe(2);
    expect(stderr).toMatch(/^REPGEN_SANDBOX: .*bubblewrap/m);
  });

  it.each([
    { what: "broken JSON", issue: "broken.json", says: "it is not JSON" },
    { what: "an empty file", issue: "empty.md", says: "the first line is the title" },
  ])("ends with 1 for an issue that cannot be read: $what", async ({ issue, says }) => {
    const { status, stderr } = await desk.repgen(["reproduce", issue, ...project]);

    expect(status).toBe(1);
    expect(stderr).toContain(says);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it.each([
    { answer: 404, says: "o/r#9: no such issue, or no access: set GITHUB_TOKEN" },
    { answer: 401, says: "o/r#9: GITHUB_TOKEN is not valid" },
    { answer: 403, says: "o/r#9: access is refused" },
  ])("ends with 1 when GitHub answers $answer", async ({ answer, says }) => {
    await using github = await startServer((response) => response.writeHead(answer).end("{}"));

    const { status, stderr } = await desk.repgen(["reproduce", "https://github.com/o/r/issues/9", ...project], {
      env: { GITHUB_API_URL: github.url },
    });

    expect(status).toBe(1);
    expect(stderr).toContain(says);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it("names a folder that cannot be used, without a stack trace", async () => {
    const { status, stderr } = await desk.repgen(["reproduce", "issue.md", ...project], {
      env: { REPGEN_CACHE: `${desk.folder}/file` },
    });

    expect(status).toBe(1);
    expect(stderr).toMatch(/^repgen: E[A-Z]+: .*file'?\n$/);
  });

  it("ends as cancelled when it is stopped while the issue is read", async () => {
    const controller = new AbortController();
    await using github = await startServer(() => controller.abort(new Error("stopped by SIGINT")));

    const { status, stderr } = await desk.repgen(["reproduce", "https://github.com/o/r/issues/9", ...project], {
      env: { GITHUB_API_URL: github.url },
      signal: controller.signal,
    });

    expect({ status, stderr }).toEqual({ status: 3, stderr: "repgen: cancelled before the run began\n" });
  });
});
