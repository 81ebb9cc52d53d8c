/** Characters that HFS+ ignores in names, so that `.g\u200cit` is `.git` there. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * May a file of this relative path be written below a folder of ours, on any file system: it stays below, it is no
 * part of a `.git` by any spelling, and no component has a meaning of its own somewhere.
 */
export function isSafePath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  if (path === "" || Buffer.byteLength(path) > 3_000 || /[\x00-\x1f\x7f\\]/.test(path) || /^[A-Za-z]:/.test(path)) {
    return false;
  }
  return path.split("/").every(isSafeName);
}

function isSafeName(name: string): boolean {
  if (name === "" || Buffer.byteLength(name) > 255) return false;
  const folded = name
    .normalize("NFKC")
    .replace(IGNORED_BY_HFS, "")
    .toLowerCase()
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "");
  return folded !== "" && folded !== ".git" && folded !== "git~1";
}

/**
 * Does the link at `path` lead out of the tree, following the other links of the tree on its way. One that goes round
 * in circles counts as out; one that leads to nothing inside does not.
 * @param links path of each link → its target.
 */
export function leadsOutside(path: string, links: ReadonlyMap<string, string>): boolean {
  let hops = 0;
  const at: string[] = [];
  const ahead = path.split("/").reverse();
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (at.pop() === undefined) return true;
      continue;
    }
    const target = links.get([...at, name].join("/"));
    if (target === undefined) {
      at.push(name);
      continue;
    }
    if (target.startsWith("/") || ++hops > 40) return true;
    ahead.push(...target.split("/").reverse());
  }
  return false;
}
