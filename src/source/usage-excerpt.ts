import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { LARGEST_SOURCE_BYTES } from "./list-files.ts";
import { readPlainFile } from "./read-folder.ts";

const MOST_CHARACTERS = 3_000;

/** Code blocks of the README that import the project, in order, as many whole ones as fit; empty for none. */
export async function usageExcerpt(directory: string, packages: readonly string[]): Promise<string> {
  const names = await readdir(directory).catch(() => []);
  const readme = names.sort().find((name) => /^readme(\.(md|markdown|rst|txt))?$/i.test(name));
  if (readme === undefined) return "";
  const bytes = await readPlainFile(join(directory, readme)).catch(() => Buffer.alloc(0));
  const text = bytes.subarray(0, LARGEST_SOURCE_BYTES).toString("utf8");
  const imports = new RegExp(`^\\s*(?:>>> )?(?:import|from)\\s+(?:${packages.join("|")})\\b`, "m");
  let excerpt = "";
  for (const block of packages.length === 0 ? [] : codeBlocks(text)) {
    const longer = excerpt === "" ? block : `${excerpt}\n\n${block}`;
    if (imports.test(block) && longer.length <= MOST_CHARACTERS) excerpt = longer;
  }
  return excerpt;
}

/** Fenced blocks of Markdown, and literal blocks of reStructuredText without their indentation. */
function codeBlocks(text: string): string[] {
  const fenced = [...text.replace(/\r\n/g, "\n").matchAll(/^ *(```+|~~~+)[^\n]*\n(.*?)\n *\1 *$/gms)];
  const literal = [
    ...text.matchAll(/(?:^\.\. code(?:-block)?::[^\n]*|::)\n(?:[ \t]+:[^\n]*\n)*\n((?:(?:[ \t]+[^\n]*)?\n)+)/gm),
  ];
  return [...fenced.map(([, , code = ""]) => code), ...literal.map(([, code = ""]) => dedent(code))];
}

function dedent(code: string): string {
  const lines = code.replace(/\s+$/, "").split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...indents))).join("\n");
}
