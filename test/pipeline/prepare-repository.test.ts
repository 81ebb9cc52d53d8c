import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { RepositoryFault } from "../../src/errors.ts";
import { prepareRepository } from "../../src/pipeline/prepare-repository.ts";
import { TREE_LIMITS } from "../../src/source/limits.ts";
import type { RepositorySource } from "../../src/types.ts";
import { makeFolder, makeRepository, writeFiles } from "../source/make-repository.ts";

const { signal } = new AbortController();

function prepare(url: string, ref: string | null = null, limits = TREE_LIMITS) {
  return prepareRepository({ from: "git", url, ref }, { cacheDirectory: makeFolder(), pip: {}, limits }, signal);
}

/** Files and links below a folder; links are not followed. */
function filesOf(folder: string, below = ""): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(below, entry.name);
      return entry.isDirectory() ? filesOf(folder, path) : [path];
    })
    .sort();
}

describe("prepareRepository", () => {
  it("writes the files of HEAD, with modes and links, and nothing of git", async () => {
    const repository = makeRepository({ "pkg/a.py": "a = 1\n", "run.sh": "#!/bin/sh\n" });
    repository.link("pkg/b.py", "a.py");
    repository.makeExecutable("run.sh");
    const commit = repository.commit();

    const checkout = await prepare(repository.folder);

    expect(checkout).toEqual({
      path: checkout.path,
      commit,
      label: `${basename(repository.folder)}@${commit.slice(0, 12)}`,
      leftOut: [],
    });
    expect(filesOf(checkout.path)).toEqual(["pkg/a.py", "pkg/b.py", "run.sh"]);
    expect(readlinkSync(join(checkout.path, "pkg/b.py"))).toBe("a.py");
    expect(statSync(join(checkout.path, "run.sh")).mode & 0o111).toBe(0o111);
    expect(statSync(join(checkout.path, "pkg/a.py")).mode & 0o111).toBe(0);
  });

  it("finds branches, tags, pull requests, full and abbreviated commits", async () => {
    const repository = makeRepository({ "a.py": "1\n" });
    const first = repository.git("rev-parse", "HEAD");
    repository.git("tag", "-a", "v1.0", "-m", "release");
    repository.git("branch", "topic/x");
    repository.git("update-ref", "refs/pull/7/head", first);
    repository.write({ "a.py": "2\n" });
    repository.commit();

    const refs = ["v1.0", "topic/x", "refs/pull/7/head", "pull/7/head", first, first.slice(0, 8)];
    const local = await Promise.all(refs.map((ref) => prepare(repository.folder, ref)));
    const remote = await Promise.all(refs.map((ref) => prepare(pathToFileURL(repository.folder).href, ref)));

    expect([...local, ...remote].map(({ commit }) => commit)).toEqual([...refs, ...refs].map(() => first));
    expect(new Set([...local, ...remote].map(({ path }) => readFileSync(join(path, "a.py"), "utf8")))).toEqual(
      new Set(["1\n"]),
    );
  });

  it("names near refs when there is no such ref", async () => {
    const repository = makeRepository({ "a.py": "1\n" });
    repository.git("branch", "feature-attention");

    for (const url of [repository.folder, pathToFileURL(repository.folder).href]) {
      await expect(prepare(url, "feature-atention")).rejects.toThrow(
        new RepositoryFault("there is no ref feature-atention (near: feature-attention)", { retryable: false }),
      );
    }
  });

  it.each(["--upload-pack=touch x", "-x", "HEAD~1", "a..b", "main:a.py", "", "a b"])(
    "refuses %j as a ref",
    async (ref) => {
      const repository = makeRepository({ "a.py": "1\n" });

      await expect(prepare(repository.folder, ref)).rejects.toThrow("is not a ref");
    },
  );

  it.each(["-c", "ext::sh -c true", "ssh://host/x", "git@host:x/y.git", "http://host/x"])(
    "refuses %j as a repository",
    async (url) => {
      await expect(prepare(url)).rejects.toBeInstanceOf(RepositoryFault);
    },
  );

  it("leaves out links that lead outside, by themselves or through others", async () => {
    const repository = makeRepository({ "dir/a.py": "1\n" });
    repository.link("absolute", "/etc/passwd");
    repository.link("up", "../x");
    repository.link("dir/in", "../dir/a.py");
    repository.link("hop", "dir");
    repository.link("through", "hop/../../x");
    repository.link("loop", "loop");
    repository.link("dangling", "nowhere");
    repository.commit();

    const { path, leftOut } = await prepare(repository.folder);

    expect(leftOut).toEqual([
      { path: "absolute", reason: "link-outside" },
      { path: "loop", reason: "link-outside" },
      { path: "through", reason: "link-outside" },
      { path: "up", reason: "link-outside" },
    ]);
    expect(filesOf(path)).toEqual(["dangling", "dir/a.py", "dir/in", "hop"]);
  });

  it("leaves out submodules, LFS pointers, large files and objects that are not there", async () => {
    const repository = makeRepository({
      "a.py": "1\n",
      "gone.bin": "gone",
      "model.pt": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
      "zeros.bin": "",
    });
    truncateSync(join(repository.folder, "zeros.bin"), 2 * 1024 ** 2);
    repository.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
    repository.commit();
    repository.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
    repository.git("commit", "--quiet", "--amend", "--no-edit");
    const gone = repository.git("rev-parse", "HEAD:gone.bin");
    rmSync(join(repository.folder, ".git/objects", gone.slice(0, 2), gone.slice(2)));

    const { path, leftOut } = await prepare(repository.folder, null, { ...TREE_LIMITS, fileBytes: 1024 ** 2 });

    expect(leftOut).toEqual([
      { path: "gone.bin", reason: "missing-object" },
      { path: "model.pt", reason: "lfs-pointer" },
      { path: "sub", reason: "submodule" },
      { path: "zeros.bin", reason: "too-large" },
    ]);
    expect(filesOf(path)).toEqual(["a.py"]);
  });

  it("leaves out paths that could be written elsewhere, or that no one can name", async () => {
    const repository = makeRepository({ "a.py": "1\n" });
    const id = repository.blob("hostile\n");
    const names = [".git", ".GIT", ".git ", "git~1", ".g\u200cit", ".git::$INDEX", "..", "a\\b", "C:x", "x\ny"];
    const hostile = names.map((name) => ({ mode: "100644", type: "blob", id, name }));
    const notUtf8 = { mode: "100644", type: "blob", id, name: Buffer.from([0x61, 0xff]) };
    repository.commitTree([...hostile, notUtf8, { mode: "100644", type: "blob", id, name: "fine.py" }]);

    const { path, leftOut } = await prepare(repository.folder);

    expect(filesOf(path)).toEqual(["fine.py"]);
    expect(leftOut).toEqual(
      [...names.map((name) => ({ path: name, reason: "unsafe-path" })), { path: "a\ufffd", reason: "not-utf8" }].sort(
        (a, b) => (a.path < b.path ? -1 : 1),
      ),
    );
  });

  it("writes nothing through a link that shares a folder's name", async () => {
    const repository = makeRepository({ "a.py": "1\n" });
    const target = repository.blob("../../../../../../../../tmp");
    const inside = repository.blob("b");
    const file = repository.blob("x\n");
    const below = repository.gitWith(`100644 blob ${file}\tf.py\n`, "mktree");
    repository.commitTree([
      { mode: "120000", type: "blob", id: target, name: "x" },
      { mode: "040000", type: "tree", id: below, name: "x" },
      { mode: "120000", type: "blob", id: inside, name: "y" },
      { mode: "040000", type: "tree", id: below, name: "y" },
    ]);

    const { path, leftOut } = await prepare(repository.folder);

    expect(filesOf(path)).toEqual(["x/f.py", "y/f.py"]);
    expect(lstatSync(join(path, "y")).isDirectory()).toBe(true);
    expect(leftOut).toEqual([
      { path: "x", reason: "link-outside" },
      { path: "y", reason: "unsafe-path" },
    ]);
  });

  it("runs no hook, filter, monitor or helper of the repository", async () => {
    const repository = makeRepository({ "a.py": "1\n", ".gitattributes": "* filter=evil diff=evil\n" });
    const trap = join(makeFolder(), "ran");
    for (const name of ["post-checkout", "pre-auto-gc", "reference-transaction"]) {
      writeFiles(repository.folder, { [`.git/hooks/${name}`]: `#!/bin/sh\ntouch ${trap}\n` });
      repository.makeExecutable(`.git/hooks/${name}`);
    }
    const settings = [
      "core.fsmonitor",
      "filter.evil.smudge",
      "filter.evil.clean",
      "diff.evil.textconv",
      "core.sshCommand",
    ];
    for (const name of settings) repository.git("config", name, `touch ${trap}`);
    repository.git("config", "core.hooksPath", join(repository.folder, ".git/hooks"));
    rmSync(trap, { force: true });

    await prepare(repository.folder);
    await prepare(repository.folder, "main");
    await prepare(pathToFileURL(repository.folder).href, "main");

    expect(existsSync(trap)).toBe(false);
  });

  it("does not include changes that are not committed, and says so", async () => {
    const repository = makeRepository({ "a.py": "committed\n" });
    repository.write({ "a.py": "changed\n", "new.py": "new\n" });
    const told: string[] = [];
    const source: RepositorySource = { from: "git", url: repository.folder, ref: null };

    const { path } = await prepareRepository(
      source,
      { cacheDirectory: makeFolder(), pip: {}, onProgress: (text) => told.push(text) },
      signal,
    );

    expect(filesOf(path)).toEqual(["a.py"]);
    expect(readFileSync(join(path, "a.py"), "utf8")).toBe("committed\n");
    expect(told.join("\n")).toContain("not committed are not included");
  });

  it("reads bare repositories, worktrees and folders that are not versioned", async () => {
    const repository = makeRepository({ "a.py": "1\n" });
    const bare = join(makeFolder(), "bare");
    const tree = join(makeFolder(), "tree");
    repository.git("clone", "--quiet", "--bare", repository.folder, bare);
    repository.git("worktree", "add", "--quiet", "--detach", tree);
    const plain = makeFolder({ "a.py": "1\n", "__pycache__/a.pyc": "x", "venv/pyvenv.cfg": "", "venv/lib/x.py": "x" });

    const prepared = await Promise.all([bare, tree, plain].map((folder) => prepare(folder)));
    const again = await prepare(plain);

    expect(prepared.map(({ path }) => filesOf(path))).toEqual([["a.py"], ["a.py"], ["a.py"]]);
    expect(again.commit).toBe(prepared[2]?.commit);
    await expect(prepare(plain, "main")).rejects.toThrow("is not versioned");
  });

  it("reads a partial clone without asking its remote", async () => {
    const origin = makeRepository({ "a.py": "1\n", "big.txt": "big ".repeat(1000) });
    origin.git("config", "uploadpack.allowFilter", "true");
    const partial = join(makeFolder(), "partial");
    const filter = ["--filter=blob:limit=100", "--no-checkout"];
    origin.git("clone", "--quiet", ...filter, pathToFileURL(origin.folder).href, partial);

    const { path, leftOut } = await prepare(partial);

    expect(filesOf(path)).toEqual(["a.py"]);
    expect(leftOut).toEqual([{ path: "big.txt", reason: "missing-object" }]);
  });

  it("does not fetch what is too large to keep", async () => {
    const repository = makeRepository({ "a.py": "1\n", "zeros.bin": "" });
    repository.git("config", "uploadpack.allowFilter", "true");
    truncateSync(join(repository.folder, "zeros.bin"), TREE_LIMITS.fileBytes + 1);
    repository.commit();
    const cacheDirectory = makeFolder();
    const source: RepositorySource = { from: "git", url: pathToFileURL(repository.folder).href, ref: null };

    const { path, leftOut } = await prepareRepository(source, { cacheDirectory, pip: {} }, signal);

    expect(filesOf(path)).toEqual(["a.py"]);
    expect(leftOut).toEqual([{ path: "zeros.bin", reason: "too-large" }]);
    const mirror = join(cacheDirectory, "mirrors", readdirSync(join(cacheDirectory, "mirrors"))[0] ?? "");
    const large = repository.git("rev-parse", "HEAD:zeros.bin");
    const objects = repository.git(`--git-dir=${mirror}`, "rev-list", "--all", "--objects", "--missing=print");
    expect(objects).toContain(`?${large}`);
  });

  it("reads a repository whose ids are SHA-256", async () => {
    const folder = makeFolder({ "a.py": "1\n" });
    const repository = makeRepository();
    repository.git("init", "--quiet", "--object-format=sha256", folder);
    repository.git("-C", folder, "add", "a.py");
    repository.git("-C", folder, "commit", "--quiet", "-m", "a");

    const { path, commit } = await prepare(folder);

    expect(commit).toMatch(/^[0-9a-f]{64}$/);
    expect(filesOf(path)).toEqual(["a.py"]);
  });

  it("refuses more files or bytes than allowed", async () => {
    const repository = makeRepository({ "a.py": "1234\n", "b.py": "1234\n" });

    await expect(prepare(repository.folder, null, { ...TREE_LIMITS, files: 1 })).rejects.toThrow("more than 1 files");
    await expect(prepare(repository.folder, null, { ...TREE_LIMITS, totalBytes: 9 })).rejects.toThrow(
      "more than 9 bytes",
    );
  });

  it("makes one checkout when several prepare the same commit at once", async () => {
    const repository = makeRepository({ "a.py": "1\n", "b.py": "2\n" });
    const cacheDirectory = makeFolder();
    const url = pathToFileURL(repository.folder).href;

    const made = await Promise.all(
      Array.from({ length: 4 }, () =>
        prepareRepository({ from: "git", url, ref: "main" }, { cacheDirectory, pip: {} }, signal),
      ),
    );

    expect(new Set(made.map(({ path }) => path)).size).toBe(1);
    expect(readdirSync(join(cacheDirectory, "checkouts"))).toHaveLength(1);
    expect(filesOf(made[0]?.path ?? "")).toEqual(["a.py", "b.py"]);
  });

  it("needs no remote for a full commit that it has", async () => {
    const repository = makeRepository({ "a.py": "1\n" });
    const cacheDirectory = makeFolder();
    const commit = repository.git("rev-parse", "HEAD");
    const source: RepositorySource = { from: "git", url: pathToFileURL(repository.folder).href, ref: commit };
    const before = await prepareRepository(source, { cacheDirectory, pip: {} }, signal);
    rmSync(repository.folder, { recursive: true });

    expect(await prepareRepository(source, { cacheDirectory, pip: {} }, signal)).toEqual(before);
  });

  it("stops with the signal's reason", async () => {
    const repository = makeRepository({ "a.py": "1\n" });
    const reason = new Error("cancelled");
    const source: RepositorySource = { from: "git", url: repository.folder, ref: null };

    const prepared = prepareRepository(source, { cacheDirectory: makeFolder(), pip: {} }, AbortSignal.abort(reason));

    await expect(prepared).rejects.toBe(reason);
  });
});
