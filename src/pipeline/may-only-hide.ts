/**
 * Does a diff add a way out (`return`, `try`, `except`, `pass`, `continue`, `break`) that it does not also take away, or
 * take a check (`raise`, `assert`) away? Such a change may make a symptom go away without touching its cause.
 */
export function mayOnlyHide(diff: string): boolean {
  const lines = diff.split("\n");
  const count = (mark: string, kind: RegExp) =>
    lines.filter((line) => line[0] === mark && kind.test(line.slice(1))).length;
  return count("+", wayOut) > count("-", wayOut) || count("-", check) > count("+", check);
}

const wayOut = /^\s*(return|try|except|pass|continue|break)\b/;
const check = /^\s*(raise|assert)\b/;
