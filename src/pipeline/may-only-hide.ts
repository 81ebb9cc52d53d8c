/**
 * Does a diff add a way out (`return`, `raise`, `try`, `except`, `pass`, `continue`, `break`) that it does not also take
 * away? Such a change may make a symptom go away without touching its cause.
 */
export function mayOnlyHide(diff: string): boolean {
  const count = (mark: string) => diff.split("\n").filter((line) => line.startsWith(mark) && wayOut.test(line)).length;
  return count("+") > count("-");
}

const wayOut = /^[+-]\s*(return|raise|try|except|pass|continue|break)\b/;
