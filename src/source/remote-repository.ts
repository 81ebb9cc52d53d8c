import { createHash } from "node:crypto";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { RepositoryFault } from "../errors.ts";
import { withFileLock } from "./file-lock.ts";
import { firstLine, type GitCredentials, type GitOptions, git, gitText } from "./git.ts";
import { LARGEST_FILE_BYTES } from "./limits.ts";
import { type FoundCommit, findLocalCommit } from "./local-repository.ts";
import { pause } from "./pause.ts";
import { checkRef, findRef, isAbbreviatedId, isFullId, parseRefs, type Refs, unknownRef } from "./refs.ts";

const STALL_MS = 120_000;
const TRIES = 3;

/** What lets a program read repositories of one server; sent there and nowhere else. */
export interface RepositoryAccess {
  /** `https://github.com` */
  serverUrl: string;
  token: string;
}

export interface RemoteRequest {
  /** `https://…` or `file://…`. */
  url: string;
  ref: string | null;
  /** For a URL of its server that holds no credentials itself. */
  access?: RepositoryAccess | null | undefined;
  /** Mirrors are kept here, one a URL. */
  mirrorsDirectory: string;
  onProgress?: ((text: string) => void) | undefined;
}

/**
 * Brings one commit of a remote repository into its mirror: no history, no large files. Safe from several processes.
 * A full commit id that is there already needs no network.
 * @throws {RepositoryFault} the repository or the ref cannot be had; `retryable` when the network is to blame.
 */
export async function fetchRemoteCommit(request: RemoteRequest, signal: AbortSignal): Promise<FoundCommit> {
  if (request.ref !== null) checkRef(request.ref);
  const { url, credentials } = splitCredentials(request.url, request.access ?? null);
  const mirror = join(request.mirrorsDirectory, mirrorName(url));
  await mkdir(request.mirrorsDirectory, { recursive: true });
  return await withFileLock(`${mirror}.lock`, signal, async () => {
    await initialise(mirror, signal);
    return await bring({ ...request, url, credentials, mirror }, signal);
  });
}

type Bring = RemoteRequest & { mirror: string; credentials: GitCredentials | undefined };

async function bring(request: Bring, signal: AbortSignal): Promise<FoundCommit> {
  const { ref, mirror } = request;
  if (ref !== null && isFullId(ref)) {
    const kept = keptName(ref);
    if (!(await hasRef(mirror, kept, signal))) await fetchInto(request, [...SHALLOW, `+${ref}:${kept}`], signal);
    return await findLocalCommit({ gitDirectory: mirror, ref: kept }, signal);
  }

  const refs = await listRemoteRefs(request, signal);
  const name = ref === null ? "HEAD" : findRef(refs, ref);
  if (name !== null && refs.has(name)) {
    const kept = keptName(name);
    await fetchInto(request, [...SHALLOW, `+${name}:${kept}`], signal);
    return await findLocalCommit({ gitDirectory: mirror, ref: kept }, signal);
  }
  if (ref === null) throw new RepositoryFault("the repository is empty", { retryable: false });
  if (!isAbbreviatedId(ref)) throw unknownRef(refs, ref);
  return await bring({ ...request, ref: await expandId(request, refs, ref, signal) }, signal);
}

const SHALLOW = ["--depth=1", `--filter=blob:limit=${LARGEST_FILE_BYTES + 1}`];

/** Finds an abbreviated id among the refs, or in the history of branches and tags, fetched without trees and files. */
async function expandId(request: Bring, refs: Refs, short: string, signal: AbortSignal): Promise<string> {
  const tips = new Set([...refs.values()].filter((id) => id.startsWith(short)));
  const [tip] = tips;
  if (tips.size === 1 && tip !== undefined) return tip;
  const history = `${request.mirror}.history`;
  await initialise(history, signal);
  const everything = ["--filter=tree:0", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
  await fetchInto({ ...request, mirror: history }, everything, signal);
  return (await findLocalCommit({ gitDirectory: history, ref: short }, signal)).commit;
}

async function listRemoteRefs(request: Bring, signal: AbortSignal): Promise<Refs> {
  return parseRefs(await overNetwork(request, ["ls-remote", "--quiet", "--", request.url], signal));
}

async function fetchInto(request: Bring, args: readonly string[], signal: AbortSignal): Promise<void> {
  const options = args.filter((arg) => arg.startsWith("--"));
  const refspecs = args.filter((arg) => !arg.startsWith("--"));
  const fixed = ["--progress", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-gc"];
  await overNetwork(request, ["fetch", ...fixed, ...options, "--", request.url, ...refspecs], signal);
}

/** Runs git against the remote, again after a pause when it fails for a reason that can pass. */
async function overNetwork(request: Bring, args: readonly string[], signal: AbortSignal): Promise<string> {
  const options: GitOptions = {
    gitDirectory: request.mirror,
    protocol: request.url.startsWith("file:") ? "file" : "https",
    stallMs: STALL_MS,
    credentials: request.credentials,
    ...(request.onProgress === undefined ? {} : { onProgress: request.onProgress }),
  };
  for (let tries = 1; ; tries++) {
    const { exitCode, stdout, stderr } = await git(args, options, signal);
    if (exitCode === 0) return stdout.toString("utf8");
    const fault = remoteFault(request.url, stderr);
    if (!fault.retryable || tries === TRIES) throw fault;
    await pause(1_000 * 4 ** (tries - 1), signal);
  }
}

function remoteFault(url: string, stderr: string): RepositoryFault {
  const line = firstLine(stderr);
  const final =
    /not found|authentication failed|could not read username|not our ref|does not appear|not a git|returned error: 40[134]/i;
  if (final.test(stderr)) {
    return new RepositoryFault(`${url} cannot be read: ${line}`, { retryable: false });
  }
  return new RepositoryFault(`${url} cannot be reached: ${line}`, { retryable: true });
}

/**
 * A URL without its user part, and that; the token of the URL's server where there is none.
 * @throws {RepositoryFault} it is no URL.
 */
function splitCredentials(
  text: string,
  access: RepositoryAccess | null,
): { url: string; credentials: GitCredentials | undefined } {
  const url = withoutCredentials(text);
  if (!URL.canParse(text)) throw new RepositoryFault(`${url} is not a URL`, { retryable: false });
  const { origin, username, password } = new URL(text);
  if (username !== "" || password !== "") {
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    return { url, credentials: { origin, user, password: secret } };
  }
  if (access === null || origin !== new URL(access.serverUrl).origin) return { url, credentials: undefined };
  return { url, credentials: { origin, user: "x-access-token", password: access.token } };
}

/** The text with the user part of its URLs left out. */
export function withoutCredentials(text: string): string {
  return text.replace(/(\b[a-z]+:\/\/)[^/\s]+@/gi, "$1");
}

async function initialise(directory: string, signal: AbortSignal): Promise<void> {
  if (await stat(join(directory, "HEAD")).catch(() => null)) return;
  await gitText(["init", "--quiet", "--bare", "--template=", "--", directory], {}, signal);
}

async function hasRef(gitDirectory: string, name: string, signal: AbortSignal): Promise<boolean> {
  return (await git(["show-ref", "--verify", "--quiet", "--", name], { gitDirectory }, signal)).exitCode === 0;
}

/** Where the mirror keeps what it fetched for a ref; a name of ours, so that a hostile one cannot collide. */
function keptName(ref: string): string {
  return `refs/kept/${createHash("sha256").update(ref).digest("hex").slice(0, 40)}`;
}

function mirrorName(url: string): string {
  const hash = createHash("sha256").update(url).digest("hex").slice(0, 16);
  const readable = url.replace(/^[a-z]+:\/+/, "").replace(/[^A-Za-z0-9]+/g, "-");
  return `${readable.slice(-60)}-${hash}.git`;
}
