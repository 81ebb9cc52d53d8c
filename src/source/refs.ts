import { RepositoryFault } from "../errors.ts";

/** Full ref name → commit, or the object of an annotated tag peeled. */
export type Refs = ReadonlyMap<string, string>;

const FULL_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const SHORT_ID = /^[0-9a-f]{4,64}$/;

export function isFullId(ref: string): boolean {
  return FULL_ID.test(ref);
}

export function isAbbreviatedId(ref: string): boolean {
  return SHORT_ID.test(ref);
}

/**
 * Refuses what is no branch, tag, `refs/…` name or commit id: options, revision arithmetic, ranges.
 * @throws {RepositoryFault}
 */
export function checkRef(ref: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  const bad = ref === "" || ref.length > 250 || /^[-./]|[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.lock$/.test(ref);
  if (bad) throw new RepositoryFault(`${JSON.stringify(ref.slice(0, 100))} is not a ref`, { retryable: false });
}

/** The full name that `wanted` stands for: as it is, then tag, branch, remote branch. Null for none. */
export function findRef(refs: Refs, wanted: string): string | null {
  const names = [
    wanted,
    `refs/${wanted}`,
    `refs/tags/${wanted}`,
    `refs/heads/${wanted}`,
    `refs/remotes/origin/${wanted}`,
  ];
  return names.find((name) => refs.has(name)) ?? null;
}

/** Reads lines of `id TAB-or-space refname`; a later `refname^{}` peels the tag before it. */
export function parseRefs(text: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, id, name] = /^([0-9a-f]{40,64})\s+(\S+)$/.exec(line) ?? [];
    if (id !== undefined && name !== undefined) refs.set(name.replace(/\^\{\}$/, ""), id);
  }
  return refs;
}

export function unknownRef(refs: Refs, wanted: string): RepositoryFault {
  const near = nearRefs(refs, wanted);
  const hint = near.length === 0 ? "" : ` (near: ${near.join(", ")})`;
  return new RepositoryFault(`there is no ref ${wanted}${hint}`, { retryable: false });
}

/** Branches and tags whose names are closest to `wanted`, at most five. */
export function nearRefs(refs: Refs, wanted: string): string[] {
  const names = new Set(
    [...refs.keys()].flatMap((name) => /^refs\/(?:heads|tags|remotes\/origin)\/(.+)$/.exec(name)?.[1] ?? []),
  );
  names.delete("HEAD");
  return [...names]
    .map((name) => ({ name, distance: distance(name.toLowerCase(), wanted.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(3, wanted.length / 2))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 5)
    .map(({ name }) => name);
}

/** Edit distance of two strings; a prefix of the other counts as 1. */
function distance(a: string, b: string): number {
  if (a.startsWith(b) || b.startsWith(a)) return a === b ? 0 : 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swap, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
