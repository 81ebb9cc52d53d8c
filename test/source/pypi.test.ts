import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { create } from "tar";
import { describe, expect, it, onTestFinished } from "vitest";
import { RepositoryFault } from "../../src/errors.ts";
import { prepareRepository } from "../../src/pipeline/prepare-repository.ts";
import { chooseSdist } from "../../src/source/pypi.ts";
import { makeFolder } from "./make-repository.ts";

const { signal } = new AbortController();
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** `my-pkg-1.0/a.py` stored, `my-pkg-1.0/b.py` deflated, `my-pkg-1.0/../evil` stored. */
const ZIP = Buffer.from(
  [
    "UEsDBBQAAAAAAAAAIQBo2i+vBgAAAAYAAAAPAAAAbXktcGtnLTEuMC9hLnB5YSA9IDEKUEsDBBQAAAAIAAAAIQBPogS2CwAAAOgD",
    "AAAPAAAAbXktcGtnLTEuMC9iLnB5S0oaBaNgFAx3AABQSwMEFAAAAAAAAAAhAIMW3IwBAAAAAQAAABIAAABteS1wa2ctMS4wLy4u",
    "L2V2aWx4UEsBAhQDFAAAAAAAAAAhAGjaL68GAAAABgAAAA8AAAAAAAAAAAAAAKSBAAAAAG15LXBrZy0xLjAvYS5weVBLAQIUAxQA",
    "AAAIAAAAIQBPogS2CwAAAOgDAAAPAAAAAAAAAAAAAACkgTMAAABteS1wa2ctMS4wL2IucHlQSwECFAMUAAAAAAAAACEAgxbcjAEA",
    "AAABAAAAEgAAAAAAAAAAAAAApIFrAAAAbXktcGtnLTEuMC8uLi9ldmlsUEsFBgAAAAADAAMAugAAAJwAAAAAAA==",
  ].join(""),
  "base64",
);

function makeSdist(): Buffer {
  const folder = makeFolder({
    "my_pkg-1.0/setup.py": "raise SystemExit\n",
    "my_pkg-1.0/my_pkg/__init__.py": "x = 1\n",
  });
  symlinkSync("/etc/passwd", join(folder, "my_pkg-1.0/passwd"));
  const file = join(folder, "sdist.tar.gz");
  create({ file, cwd: folder, gzip: true, sync: true, portable: true }, ["my_pkg-1.0"]);
  return readFileSync(file);
}

/** A package index; `answers` maps paths to bodies, JSON ones told as such. */
async function serve(answers: Record<string, string | Buffer>): Promise<string> {
  const server = createServer((request, response) => {
    const body = answers[request.url ?? ""];
    const isJson = typeof body === "string" && body.startsWith("{");
    response.writeHead(body === undefined ? 404 : 200, {
      "Content-Type": isJson ? "application/vnd.pypi.simple.v1+json" : "text/html",
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
}

function prepare([main = "", ...extra]: string[], version = "1.0") {
  return prepareRepository(
    { from: "pypi", name: "My.Pkg", version },
    { cacheDirectory: makeFolder(), pip: { "index-url": main, "extra-index-url": extra.join(" ") } },
    signal,
  );
}

describe("prepareRepository with a release", () => {
  it("says so where pip uses no index", async () => {
    const prepared = prepareRepository(
      { from: "pypi", name: "my-pkg", version: "1.0" },
      { cacheDirectory: makeFolder(), pip: { "no-index": "1" } },
      signal,
    );

    await expect(prepared).rejects.toThrow("pip is set to use no package index");
  });

  it("unpacks the source distribution of an index that answers in JSON", async () => {
    const sdist = makeSdist();
    const file = {
      filename: "my_pkg-1.0.tar.gz",
      url: "../../files/my_pkg-1.0.tar.gz",
      hashes: { sha256: sha256(sdist) },
    };
    const index = await serve({
      "/simple/my-pkg/": JSON.stringify({ files: [file] }),
      "/files/my_pkg-1.0.tar.gz": sdist,
    });

    const checkout = await prepare([`${index}/simple/`]);

    expect(checkout).toEqual({
      path: checkout.path,
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      label: "pypi:my-pkg==1.0",
      leftOut: [{ path: "passwd", reason: "link-outside" }],
    });
    expect(readFileSync(join(checkout.path, "my_pkg/__init__.py"), "utf8")).toBe("x = 1\n");
    expect((await prepare([`${index}/simple/`])).commit).toBe(checkout.commit);
  });

  it("reads HTML pages, of a later index when an earlier one does not have it, and of a folder", async () => {
    const sdist = makeSdist();
    const page = `<a href="my_pkg-1.0.tar.gz#sha256=${sha256(sdist)}" data-requires-python="&gt;=3">x</a>`;
    const empty = await serve({});
    const index = await serve({ "/simple/my-pkg/": page, "/simple/my-pkg/my_pkg-1.0.tar.gz": sdist });
    const folder = makeFolder({ "my-pkg/index.html": `<a href="my_pkg-1.0.tar.gz">x</a>` });
    writeFileSync(join(folder, "my-pkg/my_pkg-1.0.tar.gz"), sdist);

    const [a, b] = [await prepare([empty, `${index}/simple`]), await prepare([pathToFileURL(folder).href])];

    expect(b.commit).toBe(a.commit);
  });

  it("refuses a download that is not what the index lists, or has no hash", async () => {
    const answers = { "/my-pkg/my_pkg-1.0.tar.gz": makeSdist() };
    const wrong = await serve({ ...answers, "/my-pkg/": `<a href="my_pkg-1.0.tar.gz#sha256=${"0".repeat(64)}">x</a>` });
    const none = await serve({ ...answers, "/my-pkg/": `<a href="my_pkg-1.0.tar.gz">x</a>` });

    await expect(prepare([wrong])).rejects.toThrow("does not have the hash");
    await expect(prepare([none])).rejects.toThrow("does not have the hash");
  });

  it("tells wheels only, an unknown release and an unknown package apart", async () => {
    const index = await serve({ "/my-pkg/": `<a href="my_pkg-1.0-py3-none-any.whl">x</a>` });
    const fault = (message: string) => new RepositoryFault(message, { retryable: false });

    await expect(prepare([index])).rejects.toThrow(fault("My.Pkg 1.0 has wheels only, no source distribution"));
    await expect(prepare([index], "2.0")).rejects.toThrow(fault("My.Pkg has no release 2.0"));
    await expect(prepare([`${index}/other`])).rejects.toThrow(fault("there is no package My.Pkg"));
    await expect(prepare([index], "1.0; x")).rejects.toThrow("is not a release");
  });

  it("refuses what is no archive", async () => {
    const bytes = Buffer.from("not an archive");
    const page = `<a href="my_pkg-1.0.tar.gz#sha256=${sha256(bytes)}">x</a>`;
    const index = await serve({ "/my-pkg/": page, "/my-pkg/my_pkg-1.0.tar.gz": bytes });

    await expect(prepare([index])).rejects.toThrow("cannot be unpacked");
  });

  it("unpacks a zip when there is nothing else", async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, "my-pkg"));
    writeFileSync(join(folder, "my-pkg/index.html"), `<a href="my-pkg-1.0.zip">x</a>`);
    writeFileSync(join(folder, "my-pkg/my-pkg-1.0.zip"), ZIP);

    const { path, leftOut } = await prepare([pathToFileURL(folder).href]);

    expect(readFileSync(join(path, "a.py"), "utf8")).toBe("a = 1\n");
    expect(readFileSync(join(path, "b.py"), "utf8")).toBe("b".repeat(1000));
    expect(leftOut).toEqual([{ path: "../evil", reason: "unsafe-path" }]);
  });
});

describe("chooseSdist", () => {
  it.each([
    ["my-pkg", "1.0", "my-pkg-1.0.tar.gz"],
    ["My_Pkg", "1.0", "my_pkg-1.0.tar.gz"],
    ["my-pkg", "1.0.0", "my.pkg-1.0.tar.gz"],
    ["my-pkg", "1.0rc1", "my_pkg-1.0.rc1.tar.gz"],
    ["my-pkg", "1.0-2", "my_pkg-1.0-2.tar.gz"],
  ])("finds %s %s as %s", (name, version, filename) => {
    const file = { filename, url: "https://example.org/", sha256: null };

    expect(chooseSdist([{ ...file, filename: "my_pkg_extra-1.0.tar.gz" }, file], name, version)).toBe(file);
  });

  it("gives null for other versions and other names", () => {
    const file = { filename: "my_pkg-1.0.1.tar.gz", url: "https://example.org/", sha256: null };

    expect(chooseSdist([file], "my-pkg", "1.0")).toBeNull();
    expect(chooseSdist([file], "my", "1.0.1")).toBeNull();
  });
});
