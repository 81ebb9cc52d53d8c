import { tellPython } from "./classify-block.ts";
import { readStatements } from "./read-statements.ts";
import type { Body, PlacedBlock } from "./split-body.ts";

const start = /^(?:import[ \t]+\w|from[ \t]+[\w.]+[ \t]+import[ \t])/;
const maxBlocks = 50;
const maxLines = 400;

/** Python that was pasted without a fence: from an import on, up to the last statement before something else. */
export function findLooseCode(body: Body): PlacedBlock[] {
  const blocks: PlacedBlock[] = [];
  for (let index = 0; index < body.prose.length && blocks.length < maxBlocks; index += 1) {
    if (!start.test(body.prose[index] ?? "")) continue;
    const lines = body.prose.slice(index, index + maxLines);
    const count = Math.max(1, endOfCode(lines));
    const text = lines.slice(0, count).join("\n");
    blocks.push({ language: "", text, startLine: index + 1, firstLine: index + 1, lastLine: index + count });
    index += count - 1;
  }
  return blocks;
}

/** How many of the lines are Python; a word alone at the end is not counted. */
function endOfCode(lines: string[]): number {
  let end = 0;
  for (const { code, endLine } of readStatements(lines.join("\n"))) {
    const told = tellPython(code);
    if (told === "no") break;
    if (told === "yes") end = endLine;
  }
  return end;
}
