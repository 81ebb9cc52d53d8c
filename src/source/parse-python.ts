import { createRequire } from "node:module";
import { Language, Parser, type Tree } from "web-tree-sitter";
import { DefectFault } from "../errors.ts";

let parser: Promise<Parser> | null = null;

/** The syntax tree of Python source; always one, with ERROR nodes where it does not parse. Delete it after use. */
export async function parsePython(text: string): Promise<Tree> {
  parser ??= createParser();
  const tree = (await parser).parse(text);
  if (tree === null) throw new DefectFault("the Python parser has no language");
  return tree;
}

async function createParser(): Promise<Parser> {
  const require = createRequire(import.meta.url);
  await Parser.init({ locateFile: (name: string) => require.resolve(`web-tree-sitter/${name}`) });
  const language = await Language.load(require.resolve("tree-sitter-python/tree-sitter-python.wasm"));
  return new Parser().setLanguage(language);
}
