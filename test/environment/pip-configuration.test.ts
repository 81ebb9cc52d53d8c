import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  pipConfigurationFile,
  pipHosts,
  pipIndexes,
  pipMounts,
  readPipConfiguration,
  withoutCredentials,
} from "../../src/environment/pip-configuration.ts";

const PYTORCH = ["download-r2.pytorch.org", "download.pytorch.org"];
const signal = new AbortController().signal;
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "repgen-test-"));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

describe("readPipConfiguration", () => {
  it("takes files and variables as pip does: a variable over a command's section over the global one", async () => {
    const file = join(folder, "pip.conf");
    await writeFile(
      file,
      "[global]\nindex-url = https://one/simple\ntimeout = 7\nextra-index-url =\n  https://a/simple\n  https://b/simple\n" +
        "[install]\nindex-url = https://two/simple\nno-binary = x\n",
    );
    vi.stubEnv("PIP_CONFIG_FILE", file);
    vi.stubEnv("PIP_TIMEOUT", "9");

    const configuration = await readPipConfiguration(signal);

    expect(configuration).toMatchObject({ "index-url": "https://two/simple", timeout: "9" });
    expect(configuration["extra-index-url"]?.split(/\s+/).filter(Boolean)).toEqual([
      "https://a/simple",
      "https://b/simple",
    ]);
    expect(configuration).not.toHaveProperty("no-binary");
  });

  it("is empty where there is no Python", async () => {
    vi.stubEnv("PATH", folder);

    expect(await readPipConfiguration(signal)).toEqual({});
  });
});

describe("pipHosts", () => {
  it.each([
    ["PyPI and PyTorch by default", {}, [...PYTORCH, "files.pythonhosted.org", "pypi.org"]],
    [
      "an index in place of PyPI, without its credentials",
      { "index-url": "https://me:secret@mirror.example:8443/simple" },
      [...PYTORCH, "mirror.example:8443"],
    ],
    [
      "PyPI's files when its index is written out",
      { "index-url": "https://pypi.org/simple", "extra-index-url": "https://b.example/s http://c.example/s" },
      ["b.example", "c.example", ...PYTORCH, "files.pythonhosted.org", "pypi.org"],
    ],
    ["no host for local folders and without any index", { "no-index": "1", "find-links": "/wheels" }, []],
  ])("names %s", (_, configuration, hosts) => {
    expect(pipHosts(configuration)).toEqual(hosts);
  });
});

describe("pipIndexes", () => {
  it.each([
    ["PyPI by default", {}, ["https://pypi.org/simple"]],
    [
      "the main index, then the extra ones, each once",
      {
        "index-url": "https://me:secret@a.example/simple",
        "extra-index-url": "\nhttps://b.example/simple\nfile:///srv/simple https://b.example/simple",
      },
      ["https://me:secret@a.example/simple", "https://b.example/simple", "file:///srv/simple"],
    ],
    ["a folder as a URL", { "index-url": "/srv/simple" }, ["file:///srv/simple"]],
    ["none where pip uses none", { "no-index": "yes", "extra-index-url": "https://b.example/simple" }, []],
  ])("names %s", (_, configuration, indexes) => {
    expect(pipIndexes(configuration)).toEqual(indexes);
  });
});

describe("pipMounts", () => {
  it("gives local paths read-only, of an index also the files beside it, and nothing that is not there", async () => {
    for (const name of ["index/simple", "wheels"]) await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, "constraints.txt"), "");

    const mounts = pipMounts({
      "index-url": "https://pypi.org/simple",
      "extra-index-url": `file://${folder}/index/simple`,
      "find-links": `${folder}/wheels ${folder}/missing https://host/links`,
      constraint: `${folder}/constraints.txt`,
    });

    expect(mounts).toEqual(
      ["index", "wheels", "constraints.txt"].map((name) => ({
        hostPath: join(folder, name),
        sandboxPath: join(folder, name),
        writable: false,
      })),
    );
  });
});

describe("pipConfigurationFile", () => {
  it("writes one option a line", () => {
    const configuration = { "index-url": "https://one/simple", "find-links": "/a\n/b" };

    expect(pipConfigurationFile(configuration)).toBe("[global]\nindex-url = https://one/simple\nfind-links = /a /b\n");
  });
});

describe("withoutCredentials", () => {
  it("takes user and password out of URLs", () => {
    const text = "Looking in indexes: https://me:pa%40ss@host/simple, http://token@other:80/x and a@b.example";

    expect(withoutCredentials(text)).toBe("Looking in indexes: https://host/simple, http://other:80/x and a@b.example");
  });
});
