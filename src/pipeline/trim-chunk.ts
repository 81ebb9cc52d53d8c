import type { Chunk } from "../types.ts";

/** Below this a piece of code says too little to be worth showing. */
const FEWEST_CHARACTERS = 200;

/**
 * The chunk cut to the consecutive lines that matter most, within a number of characters; as it is when it fits, null
 * when there is no room. What follows the chunk's own range (a class's method signatures) is cut off first.
 */
export function trimChunk(
  chunk: Chunk,
  { maxCharacters, relevant }: { maxCharacters: number; relevant: (text: string, line: number) => number },
): Chunk | null {
  if (chunk.text.length <= maxCharacters) return chunk;
  if (maxCharacters < FEWEST_CHARACTERS) return null;
  const lines = chunk.text.split("\n").slice(0, chunk.endLine - chunk.startLine + 1);
  const weights = lines.map((text, offset) => relevant(text, chunk.startLine + offset));

  let best = { start: 0, end: 0, weight: -1 };
  let end = 0;
  let characters = 0;
  let weight = 0;
  for (let start = 0; start < lines.length; start++) {
    for (; end < lines.length; end++) {
      const longer = characters + (lines[end]?.length ?? 0) + 1;
      if (longer > maxCharacters && end > start) break;
      characters = longer;
      weight += weights[end] ?? 0;
    }
    if (weight > best.weight) best = { start, end, weight };
    characters -= (lines[start]?.length ?? 0) + 1;
    weight -= weights[start] ?? 0;
  }
  const text = lines.slice(best.start, best.end).join("\n").slice(0, maxCharacters);
  return { ...chunk, startLine: chunk.startLine + best.start, endLine: chunk.startLine + best.end - 1, text };
}
