import type { CodeBlock } from "../types.ts";
import { readStatements, type Statement } from "./read-statements.ts";

export type BlockKind = "python" | "prompt" | "diff" | "suggestion" | "traceback" | "shell" | "other";

const pythonNames = new Set(["python", "py", "python3", "py3", "ipython", "ipython3", "pycon", "python-repl", "pytb"]);
/** Languages that people, and the templates of some projects, put on any text. */
const looseNames = new Set(["", "shell", "bash", "sh", "text", "txt", "console", "plaintext", "plain", "code", "log"]);

const pythonPrompt = /^(?:>>> |In \[\d+\]: )\S/m;
const tracebackStart = /^[^\n]*Traceback \(most recent call last\)|^[^\n]{0,40}File "[^"\n]*", line \d+/m;
const diffStart = /^(?:diff --git |--- \S|@@ -\d)/m;
const shellCommand =
  /^(?:[$%#] \S|(?:[A-Z_]+=\S+ +)*(?:sudo|pip3?|python3?|conda|mamba|uv|poetry|git|cd|export|source|torchrun|accelerate|deepspeed|wget|curl|apt|apt-get|brew|docker|bash|sh|ls|mkdir|nvidia-smi|srun|sbatch|make|cmake|[a-z]+-[a-z-]+)(?: +[^=\s]|$))/;

const strong = [
  /^(?:import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+)*|from[ \t]+[\w.]+[ \t]+import\b.*)$/,
  /^(?:async[ \t]+)?(?:def[ \t]+\w+[ \t]*\(|class[ \t]+\w+[ \t]*[(:])/,
  /^(?:async[ \t]+)?(?:for|while|with|if|elif|except)\b.*:(?:[ \t].*)?$/,
  /^(?:else|try|finally)[ \t]*:/,
  /^(?:return|raise|assert|del|yield|await|global|nonlocal)\b/,
  /^@[\w.]+/,
  /^\w[\w.]*(?:\[[^=]*\])?(?:[ \t]*,[ \t]*\*?[\w.]+)*[ \t]*(?::[^=]*)?(?:[-+*/%@&|^]|\*\*|\/\/|<<|>>)?=(?!=)[ \t]*[^\s=]/,
  /^\w[\w.]*\(.*\)(?:[.[].*)?$/,
];
/** Allowed in Python, no sign of it. */
const neutral = /^(?:pass|break|continue|\.\.\.|""|[\w.]+|[\w.]+\[[^\]]*\]|[)\]}].*|[!%][a-z].*)$/;
/** `loss=0.1 lr=2`, `FOO=bar python x.py`: looks like an assignment and is none. */
const notAssignment = /^\w+=\S+[ \t]+[\w./-]+(?:[=: \t]|$)/;

/** What a block is, by its content first and its language second. */
export function classifyBlock(block: Pick<CodeBlock, "language" | "text">): BlockKind {
  const { language, text } = block;
  if (language === "suggestion") return "suggestion";
  if (language === "diff" || language === "patch" || diffStart.test(text)) return "diff";
  if (pythonPrompt.test(text)) return "prompt";
  const statements = readStatements(beforeTraceback(text));
  const isPython = looksLikePython(statements);
  if (isPython && (pythonNames.has(language) || looseNames.has(language))) return "python";
  if (tracebackStart.test(text)) return "traceback";
  const lines = text.split("\n", 50).filter((line) => line.trim() !== "");
  if (lines.some((line) => shellCommand.test(line.trim().slice(0, 200)))) return "shell";
  return pythonNames.has(language) && statements.some(({ code }) => tellPython(code) === "yes") ? "python" : "other";
}

/** The part of a block before a traceback that was pasted after the code. */
export function beforeTraceback(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex(
    (line) =>
      tracebackStart.test(line.slice(0, 500)) ||
      /^-{20,}\s*$/.test(line) ||
      /^(?:Out\[\d+\]:|Output:?\s*$)/i.test(line),
  );
  return end < 0 ? text : lines.slice(0, end).join("\n");
}

/** Are nearly all statements Python's, one of them unmistakably. */
export function looksLikePython(statements: Statement[]): boolean {
  const told = statements.map(({ code }) => tellPython(code)).filter((answer) => answer !== "maybe");
  const pythons = told.filter((answer) => answer === "yes").length;
  return pythons >= 1 && pythons >= told.length * 0.8;
}

/** Is a statement Python, by its form; `maybe` for what words of a sentence or a log could be as well. */
export function tellPython(code: string): "yes" | "maybe" | "no" {
  const text = ends(code);
  if (neutral.test(text)) return "maybe";
  const isOther = shellCommand.test(text) || notAssignment.test(text);
  return !isOther && strong.some((pattern) => pattern.test(text)) ? "yes" : "no";
}

/** Both ends of a statement: enough to tell its form, and short enough for any pattern. */
function ends(code: string): string {
  return code.length > 500 ? code.slice(0, 400) + code.slice(-100) : code;
}
