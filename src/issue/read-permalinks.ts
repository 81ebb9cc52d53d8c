import type { Permalink } from "../types.ts";

/** A permalink and the line of the text on which it stands. */
export interface PlacedPermalink extends Permalink {
  onLine: number;
}

const maxPermalinks = 50;
const blob =
  /https?:\/\/(?:www\.)?(?:github\.com\/([\w.-]+\/[\w.-]+)\/(?:blob|blame|raw|tree)|raw\.githubusercontent\.com\/([\w.-]+\/[\w.-]+))\/([^/\s"'<>()#?]+)\/([^\s"'<>()#?`\]]+)(?:\?[^\s"'<>()#`]*)?(?:#L(\d{1,7})(?:C\d+)?(?:-L?(\d{1,7}))?)?/g;

/** Links to files of a GitHub repository at a ref, in order, each once. */
export function readPermalinks(text: string): Permalink[] {
  const seen = new Set<string>();
  return placePermalinks(text).flatMap(({ onLine: _, ...permalink }) => {
    const key = JSON.stringify(permalink);
    if (seen.has(key)) return [];
    seen.add(key);
    return [permalink];
  });
}

/** As `readPermalinks`, with repetitions and the lines they stand on. */
export function placePermalinks(text: string): PlacedPermalink[] {
  const found: PlacedPermalink[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (!line.includes("github")) continue;
    for (const match of line.matchAll(blob)) {
      const permalink = toPermalink(match);
      if (permalink !== null) found.push({ ...permalink, onLine: index + 1 });
      if (found.length >= maxPermalinks) return found;
    }
  }
  return found;
}

function toPermalink(match: RegExpExecArray): Permalink | null {
  const [, page, raw, ref = "", encodedPath = "", first, last] = match;
  const path = decode(encodedPath.replace(/[.,;:!*_]+$/, ""));
  const repository = page ?? raw;
  if (repository === undefined || path === null) return null;
  const startLine = first === undefined ? null : Number(first);
  const endLine = last === undefined ? startLine : Number(last);
  const isBackwards = startLine !== null && endLine !== null && endLine < startLine;
  return {
    repository,
    ref: decode(ref) ?? ref,
    path,
    startLine: isBackwards ? endLine : startLine,
    endLine: isBackwards ? startLine : endLine,
  };
}

/** Null for what is no path below a folder. */
function decode(encoded: string): string | null {
  try {
    const path = decodeURIComponent(encoded);
    const isPlain = path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a path from hostile text
    return isPlain && !/[\u0000-\u001F\\]/.test(path) ? path : null;
  } catch {
    return null;
  }
}
