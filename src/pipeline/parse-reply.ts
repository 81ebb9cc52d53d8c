import type { z } from "zod";

/** What could be read of a model's reply, or why not, as a sentence that can go back to the model. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; problem: string };

/**
 * Reads a JSON object out of a reply that may be fenced, chatty, commented, or cut short, and checks it.
 * Small models forget quotes of keys, leave trailing commas, or use Python's `True`, `None`; that is mended.
 */
export function parseJsonReply<T extends z.ZodType>(text: string, schema: T): Parsed<z.output<T>> {
  const candidates = [...fenced(text), ...outermostBraces(text)];
  let problem = "there is no JSON object in the answer";
  for (const candidate of candidates) {
    const value = parseLoosely(candidate);
    if (value === undefined) {
      problem = "the JSON does not parse";
      continue;
    }
    const checked = schema.safeParse(value);
    if (checked.success) return { ok: true, value: checked.data };
    problem = checked.error.issues
      .slice(0, 5)
      .map((issue) => `${issue.path.join(".") || "the object"}: ${issue.message}`)
      .join("; ");
  }
  return { ok: false, problem };
}

/** Reads the Python script out of a reply: the longest fenced block, an unclosed one included, else the whole text if it looks like code. */
export function parseCodeReply(text: string): Parsed<string> {
  const blocks = fenced(text).map((block) => block.trim());
  const longest = blocks.reduce((best, block) => (block.length > best.length ? block : best), "");
  if (longest !== "") return { ok: true, value: `${longest}\n` };
  const bare = withoutThinking(text).trim();
  if (/^(import|from)\s+\w/m.test(bare) && !/^[A-Z][a-z]+ [a-z]+/.test(bare)) return { ok: true, value: `${bare}\n` };
  return { ok: false, problem: "there is no ```python block in the answer" };
}

function withoutThinking(text: string): string {
  const end = text.lastIndexOf("</think>");
  return end === -1 ? text : text.slice(end + "</think>".length);
}

function fenced(text: string): string[] {
  const lines = withoutThinking(text).split("\n");
  const blocks: string[] = [];
  let open: { fence: string; from: number } | null = null;
  for (const [index, line] of lines.entries()) {
    const fence = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) continue;
    if (open === null) open = { fence, from: index + 1 };
    else if (fence.startsWith(open.fence) && line.trim() === fence) {
      blocks.push(lines.slice(open.from, index).join("\n"));
      open = null;
    }
  }
  if (open !== null) blocks.push(lines.slice(open.from).join("\n"));
  return blocks.filter((block) => block.trim() !== "");
}

function outermostBraces(text: string): string[] {
  const bare = withoutThinking(text);
  const from = bare.indexOf("{");
  if (from === -1) return [];
  const to = bare.lastIndexOf("}");
  return [bare.slice(from, to > from ? to + 1 : undefined)];
}

function parseLoosely(text: string): unknown {
  for (const attempt of [text, mended(text), closed(mended(text))]) {
    try {
      return JSON.parse(attempt);
    } catch {
      // The next, more forgiving reading decides.
    }
  }
  return undefined;
}

/** Mends outside strings only: comments, trailing commas, Python's constants, bare keys. Line breaks in strings are escaped. */
function mended(text: string): string {
  return text
    .split(/("(?:[^"\\]|\\[\s\S])*")/)
    .map((part, index) =>
      index % 2 === 1
        ? part.replace(/\n/g, "\\n").replace(/\t/g, "\\t")
        : part
            .replace(/\/\/[^\n]*/g, "")
            .replace(/\bTrue\b/g, "true")
            .replace(/\bFalse\b/g, "false")
            .replace(/\bNone\b/g, "null")
            .replace(/([{,]\s*)([A-Za-z_]\w*)(\s*:)/g, '$1"$2"$3')
            .replace(/,(\s*[}\]])/g, "$1"),
    )
    .join("");
}

/** Closes what a reply that was cut short left open. */
function closed(text: string): string {
  const stack: string[] = [];
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") stack.push("}");
    else if (character === "[") stack.push("]");
    else if (character === "}" || character === "]") stack.pop();
  }
  return `${text.replace(/,\s*$/, "")}${inString ? '"' : ""}${stack.reverse().join("")}`;
}
