import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { prepareRepository } from "../../src/pipeline/prepare-repository.ts";
import { startGitServer } from "../doubles/git-server.ts";
import { makeFolder, makeRepository } from "./make-repository.ts";

const { signal } = new AbortController();
const token = "ghs_0123456789";
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString("base64")}`;
const given = (authorizations: (string | null)[]) => new Set(authorizations.filter((each) => each !== null));

afterEach(() => vi.unstubAllEnvs());

/** A server with one repository, `private`; git trusts its certificate. */
async function serve(options: { lets?: (user: string, password: string) => boolean; redirectTo?: string } = {}) {
  const root = makeFolder();
  const repository = makeRepository({ "a.py": "a = 1\n" });
  const commit = repository.commit();
  cpSync(repository.folder, join(root, "private"), { recursive: true });
  const server = await startGitServer({ root, scratch: makeFolder(), ...options });
  onTestFinished(() => server[Symbol.asyncDispose]());
  vi.stubEnv("GIT_SSL_CAINFO", server.certificate);
  return { ...server, commit };
}

function prepare(url: string, access: { serverUrl: string; token: string } | null) {
  const source = { from: "git", url, ref: null } as const;
  return prepareRepository(source, { cacheDirectory: makeFolder(), pip: {}, repositoryAccess: access }, signal);
}

describe("prepareRepository with a token", () => {
  it("reads a private repository of the token's server, and keeps the token out of its label", async () => {
    const { url, commit, authorizations } = await serve({
      lets: (user, password) => user === "x-access-token" && password === token,
    });

    const checkout = await prepare(`${url}/private`, { serverUrl: url, token });

    expect(checkout).toMatchObject({ commit, label: `${url}/private@${commit.slice(0, 12)}` });
    expect(given(authorizations)).toEqual(new Set([basic(`x-access-token:${token}`)]));
  });

  it("says that a private repository cannot be read without one", async () => {
    const { url } = await serve({ lets: () => true });

    await expect(prepare(`${url}/private`, null)).rejects.toMatchObject({ retryable: false });
  });

  it("does not send it to another server", async () => {
    const { url, authorizations } = await serve({ lets: () => true });

    await expect(prepare(`${url}/private`, { serverUrl: "https://github.com", token })).rejects.toThrow(
      "cannot be read",
    );
    expect(given(authorizations)).toEqual(new Set());
  });

  it("does not send it where the server redirects to", async () => {
    const other = await serve({ lets: () => true });
    const { url, certificate } = await serve({ redirectTo: other.url });
    const both = join(makeFolder(), "certificates.pem");
    writeFileSync(both, [certificate, other.certificate].map((file) => readFileSync(file, "utf8")).join("\n"));
    vi.stubEnv("GIT_SSL_CAINFO", both);

    await expect(prepare(`${url}/private`, { serverUrl: url, token })).rejects.toThrow("cannot be read");
    expect(other.authorizations.length).toBeGreaterThan(0);
    expect(given(other.authorizations)).toEqual(new Set());
  });

  it("prefers the credentials of the URL itself", async () => {
    const { url, authorizations } = await serve({ lets: (user, password) => `${user}:${password}` === "me:pass@word" });

    await prepare(url.replace("https://", "https://me:pass%40word@").concat("/private"), { serverUrl: url, token });

    expect(given(authorizations)).toEqual(new Set([basic("me:pass@word")]));
  });
});
