import type { IndexKey, LexicalIndex } from "../ports/lexical-index.ts";
import { isBesideThePoint } from "../source/beside-the-point.ts";

/** `from module import name`. */
export interface ImportedName {
  module: string;
  name: string;
}

const MOST_HITS = 50;

/**
 * How a name of the project is imported: from the outermost package whose `__init__.py` imports it, else from the
 * module that defines it at its top level. Null when the project does not have it, or in several places.
 */
export async function resolveName(
  name: string,
  key: IndexKey,
  { index }: { index: LexicalIndex },
): Promise<ImportedName | null> {
  if (!/^[A-Za-z_]\w*$/.test(name)) return null;
  const definitions = (await index.definitions(key, name))
    .filter(({ symbol }) => symbol === name)
    .map(({ path }) => path);
  const hits = (await index.search(key, name, MOST_HITS)).map(({ chunk }) => chunk.path);
  const inits = [...definitions.flatMap(initsAbove), ...hits.filter((path) => path.endsWith("__init__.py"))];
  for (const path of [...new Set(inits)].filter(isOwn).sort(byDepth)) {
    const text = (await index.file(key, path)).map((chunk) => chunk.text).join("\n");
    if (importsName(text, name)) return { module: toModule(path), name };
  }
  const [module, ...others] = new Set(definitions.filter(isOwn).map(toModule));
  return module === undefined || others.length > 0 ? null : { module, name };
}

function isOwn(path: string): boolean {
  return path.endsWith(".py") && !isBesideThePoint(path);
}

/** `a/b/c.py` → the `__init__.py` of `a` and of `a/b`. */
function initsAbove(path: string): string[] {
  const folders = path.split("/").slice(0, -1);
  return folders.map((_, index) => [...folders.slice(0, index + 1), "__init__.py"].join("/"));
}

function byDepth(a: string, b: string): number {
  return a.split("/").length - b.split("/").length || (a < b ? -1 : 1);
}

/** Does module-level code bind the name by `from … import`, as itself or after `as`? */
function importsName(text: string, name: string): boolean {
  const statements = text.matchAll(/^from\s+[\w.]+\s+import\s+(?:\(([^)]*)\)|((?:[^\n\\]|\\\n)*))/gm);
  return [...statements].some(([, inParentheses, plain]) => {
    const bound = (inParentheses ?? plain ?? "")
      .replace(/#[^\n]*/g, "")
      .replace(/\\\n/g, " ")
      .split(",");
    return bound.some(
      (part) =>
        part
          .trim()
          .split(/\s+as\s+/)
          .at(-1)
          ?.trim() === name,
    );
  });
}

function toModule(path: string): string {
  return path
    .replace(/^(src|python|lib)\//, "")
    .replace(/(\/__init__)?\.py$/, "")
    .replaceAll("/", ".");
}
