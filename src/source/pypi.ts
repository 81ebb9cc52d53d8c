import { createHash } from "node:crypto";
import { RepositoryFault } from "../errors.ts";
import type { TreeLimits } from "./limits.ts";
import { download, type IndexedFile, listFiles, normaliseName } from "./package-index.ts";
import { readTar } from "./tar.ts";
import type { TreeEntry } from "./write-tree.ts";
import { readZip } from "./zip.ts";

/** Of an archive, and of its contents: both are held in memory. */
const LARGEST_ARCHIVE_BYTES = 512 * 1024 ** 2;

/**
 * `pypi:name==version`, checked.
 * @throws {RepositoryFault} it is no name or no version.
 */
export function pypiRelease(name: string, version: string): string {
  if (
    /^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/.test(name) &&
    /^[A-Za-z0-9][A-Za-z0-9.!+_-]{0,98}$/.test(version)
  ) {
    return `pypi:${normaliseName(name)}==${version}`;
  }
  throw new RepositoryFault(`${JSON.stringify(`${name}==${version}`)} is not a release`, { retryable: false });
}

export interface SdistRequest {
  name: string;
  version: string;
  /** URLs of package indexes, in order. */
  indexes: readonly string[];
  limits: TreeLimits;
}

/**
 * The files of a release's source distribution, without its top folder. Downloaded from the first index
 * that has it and checked against the index's hash; nothing of it is run.
 * @throws {RepositoryFault} there is no such release, it has no source distribution, or the download is not as listed.
 */
export async function* readSdist(
  { name, version, indexes, limits }: SdistRequest,
  signal: AbortSignal,
): AsyncGenerator<TreeEntry> {
  const file = await findSdist({ name, version }, indexes, signal);
  const archive = await download(file, LARGEST_ARCHIVE_BYTES, signal);
  const sha256 = createHash("sha256").update(archive).digest("hex");
  if (file.sha256 === null ? !file.url.startsWith("file:") : file.sha256 !== sha256) {
    throw new RepositoryFault(`${file.filename} does not have the hash that its index lists`, { retryable: false });
  }
  const held = { ...limits, totalBytes: Math.min(limits.totalBytes, LARGEST_ARCHIVE_BYTES) };
  const entries = file.filename.endsWith(".zip") ? readZip(archive) : await readTar(archive, held);
  for (const entry of entries) {
    const path = entry.path.replace(/^(\.\/)?[^/]+\//, "");
    if (path !== "" && entry.path.includes("/")) yield { ...entry, path };
  }
}

async function findSdist(
  { name, version }: { name: string; version: string },
  indexes: readonly string[],
  signal: AbortSignal,
): Promise<IndexedFile> {
  if (indexes.length === 0) throw new RepositoryFault("pip is set to use no package index", { retryable: false });
  let known = false;
  let wheels = false;
  for (const index of indexes) {
    const files = await listFiles(index, name, signal);
    known ||= files !== null;
    const sdist = chooseSdist(files ?? [], name, version);
    if (sdist !== null) return sdist;
    wheels ||= (files ?? []).some(({ filename }) => isWheelOf(filename, name, version));
  }
  const what = wheels
    ? `${name} ${version} has wheels only, no source distribution`
    : known
      ? `${name} has no release ${version}`
      : `there is no package ${name}`;
  throw new RepositoryFault(what, { retryable: false });
}

/** The `.tar.gz` of a release, else its `.zip`; null for neither. */
export function chooseSdist(files: readonly IndexedFile[], name: string, version: string): IndexedFile | null {
  for (const ending of [".tar.gz", ".zip"]) {
    const isSdist = ({ filename }: IndexedFile) =>
      filename.endsWith(ending) && isStemOf(filename.slice(0, -ending.length), name, version);
    const found = files.find(isSdist);
    if (found !== undefined) return found;
  }
  return null;
}

/** Is it `name-version`, wherever the name ends. */
function isStemOf(stem: string, name: string, version: string): boolean {
  const dashes = [...stem.matchAll(/-/g)].map(({ index }) => index);
  return dashes.some(
    (at) => normaliseName(stem.slice(0, at)) === normaliseName(name) && sameVersion(stem.slice(at + 1), version),
  );
}

function isWheelOf(filename: string, name: string, version: string): boolean {
  const [wheelName = "", wheelVersion = ""] = filename.split("-");
  return (
    filename.endsWith(".whl") && normaliseName(wheelName) === normaliseName(name) && sameVersion(wheelVersion, version)
  );
}

/** Same release by the spelling rules that matter in practice: case, `v`, `-`/`_` for `.`, trailing zeros. */
function sameVersion(a: string, b: string): boolean {
  const canonical = (version: string) =>
    version
      .toLowerCase()
      .replace(/^v/, "")
      .replace(/[-_]/g, ".")
      .replace(/\.?(a|b|rc)\.?(\d)/, "$1$2")
      .replace(/(\.0)+(?=$|[a-z+])/, "");
  return canonical(a) === canonical(b);
}
