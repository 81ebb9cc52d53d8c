import type { Chunk } from "../types.ts";
import { chunkPython } from "./chunk-python.ts";
import { isRecord, parseJson } from "./json.ts";

/**
 * Cuts a Python file or a notebook. A notebook's lines are those of its code cells put together in order, with an
 * empty line between them; what is no Python there (`%magic`, `!command`) is a comment.
 * Null for a notebook that is none.
 */
export async function chunkFile(path: string, text: string): Promise<Chunk[] | null> {
  if (!path.endsWith(".ipynb")) return await chunkPython(path, text);
  const code = notebookCode(text);
  return code === null ? null : await chunkPython(path, code);
}

function notebookCode(text: string): string | null {
  const notebook = parseJson(text);
  if (!isRecord(notebook) || !Array.isArray(notebook.cells)) return null;
  const cells = notebook.cells.filter(isRecord).filter(({ cell_type }) => cell_type === "code");
  return cells.map(({ source }) => asText(source).replace(/^(?=\s*[%!?])/gm, "# ")).join("\n\n");
}

function asText(source: unknown): string {
  const lines = Array.isArray(source) ? source : [source];
  return lines.filter((line) => typeof line === "string").join("");
}
