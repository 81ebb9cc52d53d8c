import type { CodeBlock } from "../types.ts";
import type { Body } from "./split-body.ts";

const maxBlocks = 200;

/** The body's code blocks in order, the first 200 at most. */
export function readCodeBlocks(body: Body): CodeBlock[] {
  return body.blocks.slice(0, maxBlocks).map(({ language, text, startLine }) => ({ language, text, startLine }));
}
