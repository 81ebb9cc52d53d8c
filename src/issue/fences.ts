/** An opened code fence. */
export interface Fence {
  marker: string;
  /** Was it opened in a block quote, whose `>` then starts every line of it. */
  quoted: boolean;
  /** Columns of white space before the marker, taken off every line inside. */
  indent: number;
  /** First word of the info string in lower case, empty for none. */
  language: string;
}

const opening = /^((?: {0,3}>)*)([ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?)(`{3,}|~{3,})([^\n]*)$/;
const closing = /^[ \t]*(`{3,}|~{3,})[ \t]*$/;
const quotePrefix = /^(?: {0,3}>)+ ?/;

/** The fence that a line opens, or null. A fence may be indented, quoted, or follow a list marker. */
export function openedFence(line: string): Fence | null {
  const match = opening.exec(line);
  if (match === null) return null;
  const [, quote = "", before = "", marker = "", info = ""] = match;
  if (marker.startsWith("`") && info.includes("`")) return null;
  return {
    marker,
    quoted: quote !== "",
    indent: quote === "" ? before.length : before.replace(/^ /, "").length,
    language: /[a-z0-9_+#-]+/i.exec(info)?.[0].toLowerCase() ?? "",
  };
}

/** Does the line, as `withoutPrefix` gives it, close the fence. */
export function closesFence(line: string, fence: Fence): boolean {
  return closing.exec(line)?.[1]?.startsWith(fence.marker) ?? false;
}

/**
 * Does a line inside a fence open the next one: same marker, with a language. The writer forgot to close the first,
 * or nests fences of one length; both mean what follows to be a block of its own.
 */
export function reopensFence(line: string, fence: Fence): Fence | null {
  const next = openedFence(line);
  return next !== null && next.language !== "" && next.marker.startsWith(fence.marker) ? next : null;
}

/** A line inside the fence without the quote's `>`; null when the quote has ended and the fence with it. */
export function withoutPrefix(line: string, fence: Fence): string | null {
  if (!fence.quoted) return line;
  return quotePrefix.test(line) ? line.replace(quotePrefix, "") : null;
}
