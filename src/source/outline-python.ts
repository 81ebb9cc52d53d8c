import type { Node } from "web-tree-sitter";
import { parsePython } from "./parse-python.ts";

/** A function or class and its place. Lines are 1-based and inclusive, decorators included. */
export interface Definition {
  kind: "function" | "class";
  name: string;
  startLine: number;
  endLine: number;
  /** Lines of the signature, without decorators: `class …:` or `def …:`. */
  signature: { startLine: number; endLine: number };
  /** Of a class: what it defines. A function's own are part of it. */
  members: Definition[];
}

export interface Outline {
  definitions: Definition[];
  /** Where statements start, with how deep they are nested; in order of lines. */
  statements: { line: number; depth: number }[];
  /** Lines that are comments and nothing else. */
  commentLines: ReadonlySet<number>;
}

/** Definitions and statements of Python source, as far as it parses. */
export async function outlinePython(text: string): Promise<Outline> {
  const tree = await parsePython(text);
  try {
    const statements = new Map<number, number>();
    const commentLines = new Set<number>();
    visit(tree.rootNode, 0, statements, commentLines);
    return {
      definitions: definitionsIn(tree.rootNode),
      statements: [...statements].map(([line, depth]) => ({ line, depth })).sort((a, b) => a.line - b.line),
      commentLines,
    };
  } finally {
    tree.delete();
  }
}

/** Definitions below a node that are in no other definition: also those in `if`, `try`, `with` and broken code. */
function definitionsIn(node: Node): Definition[] {
  return node.namedChildren.flatMap((child) => {
    if (child.type === "decorated_definition") {
      const inner = child.childForFieldName("definition");
      return inner === null ? [] : toDefinition(inner, child);
    }
    if (child.type === "function_definition" || child.type === "class_definition") return toDefinition(child, child);
    return holdsStatements(child) ? definitionsIn(child) : [];
  });
}

function toDefinition(node: Node, whole: Node): Definition[] {
  const name = node.childForFieldName("name");
  const body = node.childForFieldName("body");
  if (name === null) return [];
  const isClass = node.type === "class_definition";
  const startLine = node.startPosition.row + 1;
  const colon = node.children.find(({ type }) => type === ":");
  return [
    {
      kind: isClass ? "class" : "function",
      name: name.text,
      startLine: whole.startPosition.row + 1,
      endLine: lastLine(whole),
      signature: { startLine, endLine: (colon ?? name).endPosition.row + 1 },
      members: isClass && body !== null ? definitionsIn(body) : [],
    },
  ];
}

function visit(node: Node, depth: number, statements: Map<number, number>, commentLines: Set<number>): void {
  const holdsThem = node.type === "module" || node.type === "block" || node.type === "ERROR";
  for (const child of node.namedChildren) {
    const line = child.startPosition.row + 1;
    if (child.type === "comment") {
      if (child.previousSibling === null || lastLine(child.previousSibling) < line) commentLines.add(line);
    } else if (holdsThem && !statements.has(line)) statements.set(line, depth);
    if (child.type === "comment" || holdsStatements(child)) visit(child, depth + 1, statements, commentLines);
  }
}

function holdsStatements({ type }: Node): boolean {
  return /_statement$|_clause$|_definition$|^block$|^ERROR$/.test(type) && type !== "expression_statement";
}

/** A node that ends at the start of a line ends on the line before. */
function lastLine({ endPosition, startPosition }: Node): number {
  return endPosition.column === 0 && endPosition.row > startPosition.row ? endPosition.row : endPosition.row + 1;
}
