/** A logical line of Python, or of something that may be Python. */
export interface Statement {
  /** Strings emptied (`""`), comments left out, lines of a bracket joined. */
  code: string;
  indent: number;
  /** 1-based, within the source. */
  startLine: number;
  endLine: number;
  /** Stands in the body of a `def` or `class`. */
  inDefinition: boolean;
}

const definitionHead = /^(?:async[ \t]+)?(?:def|class)\b/;
const piece = /#[^\n]*|"""|'''|["']|[([{]|[)\]}]|\\\n|\n|[^#"'()[\]{}\\\n]+|\\/y;

/** Splits a source into logical lines by its strings, comments and brackets; never fails. Linear in its length. */
export function readStatements(source: string): Statement[] {
  const statements: Statement[] = [];
  let current = { code: "", startLine: 1 };
  let line = 1;
  let depth = 0;
  const flush = (): void => {
    const code = current.code.trim();
    if (code !== "") {
      const indent = /^[ \t]*/.exec(current.code)?.[0].replaceAll("\t", "    ").length ?? 0;
      statements.push({ code, indent, startLine: current.startLine, endLine: line, inDefinition: false });
    }
  };
  for (let at = 0; at < source.length; ) {
    piece.lastIndex = at;
    const text = piece.exec(source)?.[0] ?? source.charAt(at);
    at += text.length;
    if (text === "\n" && depth === 0) {
      flush();
      current = { code: "", startLine: line + 1 };
    } else if (/^["']/.test(text)) {
      const end = endOfString(source, at, text);
      line += countLines(source, at, end);
      current.code += '""';
      at = end;
    } else if (!text.startsWith("#")) {
      depth = Math.max(0, depth + ("([{".includes(text) ? 1 : ")]}".includes(text) ? -1 : 0));
      current.code += text.includes("\n") ? " " : text;
    }
    if (text.endsWith("\n")) line += 1;
  }
  flush();
  return markDefinitions(statements);
}

/** Index after the string that was opened by `quote`; a short string ends with its line at the latest. */
function endOfString(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source.startsWith(quote, at)) return at + quote.length;
    else if (quote.length === 1 && source[at] === "\n") return at;
  }
  return source.length;
}

function countLines(source: string, from: number, to: number): number {
  let count = 0;
  for (let at = source.indexOf("\n", from); at >= 0 && at < to; at = source.indexOf("\n", at + 1)) count += 1;
  return count;
}

function markDefinitions(statements: Statement[]): Statement[] {
  let heads: number[] = [];
  return statements.map((statement) => {
    heads = heads.filter((indent) => indent < statement.indent);
    const inDefinition = heads.length > 0;
    if (definitionHead.test(statement.code)) heads.push(statement.indent);
    return { ...statement, inDefinition };
  });
}
