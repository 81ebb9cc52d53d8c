import { lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { SuggestedChange } from "../types.ts";
import { type FileChange, type Hunk, parseDiff } from "./diff.ts";
import { listPythonFiles } from "./list-files.ts";
import { applyHunk, matchHunk } from "./match-lines.ts";
import { readPlainFile } from "./read-folder.ts";
import { isSafePath } from "./safe-path.ts";
import { unifiedDiff } from "./unified-diff.ts";

export type AppliedChange = { ok: true; diff: string } | { ok: false; reason: string };

/** What a change makes of one file; null for a file that is not there. */
interface Edit {
  path: string;
  before: string | null;
  after: string | null;
}

class Refusal extends Error {}

/**
 * Applies a reporter's or a model's change to the files below `directory`, all of it or nothing. Places are found by
 * their lines, so that wrong line numbers and drifted white space do no harm; a place that is not unique is refused,
 * and so is a path that leads outside.
 */
export async function applyChange(directory: string, change: SuggestedChange): Promise<AppliedChange> {
  try {
    const edits = await (change.form === "diff"
      ? editsOfDiff(directory, change.diff)
      : editsOfReplace(directory, change));
    const diff = edits.map(({ path, before, after }) => unifiedDiff(path, before, after)).join("");
    if (diff === "") throw new Refusal("the change changes nothing");
    for (const edit of edits) await write(directory, edit);
    return { ok: true, diff };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, reason: error.message };
    throw error;
  }
}

async function editsOfDiff(directory: string, diff: string): Promise<Edit[]> {
  const changes = parseDiff(diff);
  if (changes.length === 0) throw new Refusal("the diff has no changed lines");
  const edits: Edit[] = [];
  for (const change of changes) {
    const done = edits.find(({ path }) => path === (change.newPath ?? change.oldPath));
    if (done !== undefined && done.after !== null) done.after = applyHunks(done.after, change.hunks);
    else edits.push(await editOfFile(directory, change));
  }
  return edits;
}

async function editOfFile(directory: string, change: FileChange): Promise<Edit> {
  if (change.creates && change.newPath !== null) {
    if ((await find(directory, change.newPath)) !== null) throw new Refusal(`${change.newPath} exists already`);
    const added = change.hunks.flatMap(({ lines }) => lines.map(({ text }) => text));
    return { path: checked(change.newPath), before: null, after: `${added.join("\n")}\n` };
  }
  const named = change.oldPath ?? change.newPath;
  const files = named === null ? null : [await locate(directory, named)];
  const apply = (text: string) => applyHunks(text, change.hunks);
  const { path, before, after } = await onlyFile(directory, files, apply);
  return { path, before, after: change.deletes ? null : after };
}

async function editsOfReplace(
  directory: string,
  { path, search, replace }: Extract<SuggestedChange, { form: "replace" }>,
): Promise<Edit[]> {
  if (search.trim() === "") throw new Refusal("the text to replace is empty");
  const files = path === null ? null : [await locate(directory, path)];
  return [await onlyFile(directory, files, (text) => replaceOnce(text, search, replace))];
}

/** The one file to which `apply` applies: the one that is named, or the only one of the project's Python files. */
async function onlyFile(
  directory: string,
  named: string[] | null,
  apply: (text: string) => string,
): Promise<{ path: string; before: string; after: string }> {
  const paths = named ?? (await listPythonFiles(directory)).files;
  const found: { path: string; before: string; after: string }[] = [];
  let refusal = new Refusal("no Python file of the project has these lines");
  for (const path of paths) {
    const bytes = await readPlainFile(join(directory, path));
    const before = bytes.toString("utf8");
    try {
      if (!bytes.equals(Buffer.from(before))) throw new Refusal(`${path} is not UTF-8 text`);
      found.push({ path, before, after: apply(before) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (named !== null || /more than once/.test(error.message)) refusal = error;
    }
  }
  const [only] = found;
  if (found.length > 1)
    throw new Refusal(
      `these lines are in ${found
        .map(({ path }) => path)
        .slice(0, 5)
        .join(", ")}`,
    );
  if (only === undefined) throw refusal;
  return only;
}

function applyHunks(text: string, hunks: readonly Hunk[]): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  let lines = text.split(/\r?\n/);
  let drift = 0;
  for (const hunk of hunks) {
    const startLine = hunk.startLine === null ? null : hunk.startLine + drift;
    const match = matchHunk(lines, { ...hunk, startLine });
    if (match === "not-found") throw new Refusal(`the file does not have these lines: ${excerpt(hunk)}`);
    if (match === "ambiguous") throw new Refusal(`the file has these lines more than once: ${excerpt(hunk)}`);
    const changed = applyHunk(lines, match.at, match.hunk);
    drift += changed.length - lines.length;
    lines = changed;
  }
  return lines.join(newline);
}

/** Literally when the text is there once; else line by line, with regard to indentation. */
function replaceOnce(text: string, search: string, replace: string): string {
  const first = text.indexOf(search);
  if (first >= 0 && text.indexOf(search, first + 1) < 0) {
    return text.slice(0, first) + replace + text.slice(first + search.length);
  }
  const toLines = (op: "-" | "+", part: string) =>
    part
      .replace(/^\n+|\s+$/g, "")
      .split(/\r?\n/)
      .map((line) => ({ op, text: line }));
  const added = replace.trim() === "" ? [] : toLines("+", replace);
  const hunk: Hunk = { startLine: null, lines: [...toLines("-", search), ...added] };
  if (first >= 0 && matchHunk(text.split(/\r?\n/), hunk) === "not-found") {
    throw new Refusal(`the file has this more than once: ${excerpt(hunk)}`);
  }
  return applyHunks(text, [hunk]);
}

/** A file by its path, or by the end of its path when only one file ends so. */
async function locate(directory: string, named: string): Promise<string> {
  const path = checked(named.replace(/^\.\//, ""));
  if ((await find(directory, path)) !== null) return path;
  const { files } = await listPythonFiles(directory);
  const similar = files.filter((file) => file.endsWith(`/${path}`) || path.endsWith(`/${file}`));
  const [only] = similar;
  if (only === undefined || similar.length > 1) throw new Refusal(`there is no file ${path}`);
  return only;
}

function checked(path: string): string {
  if (!isSafePath(path)) throw new Refusal(`the path ${JSON.stringify(path.slice(0, 200))} leads outside the project`);
  return path;
}

/** The real path of a plain file inside; null for none. */
async function find(directory: string, path: string): Promise<string | null> {
  const place = join(directory, checked(path));
  const found = await lstat(place).catch(() => null);
  if (found === null) return null;
  const [root, real] = [await realpath(directory), await realpath(place).catch(() => null)];
  if (!found.isFile() || real === null || !real.startsWith(root + sep))
    throw new Refusal(`${path} is not a plain file`);
  return real;
}

async function write(directory: string, { path, after }: Edit): Promise<void> {
  const place = join(directory, path);
  if (after === null) return await rm(place);
  await mkdir(dirname(place), { recursive: true });
  if (!`${await realpath(dirname(place))}${sep}`.startsWith((await realpath(directory)) + sep)) {
    throw new Refusal(`the path ${path} leads outside the project`);
  }
  await writeFile(place, after);
}

function excerpt(hunk: Hunk): string {
  const line = hunk.lines.find(({ op, text }) => op !== "+" && text.trim() !== "") ?? hunk.lines[0];
  return JSON.stringify(line?.text.trim().slice(0, 120) ?? "");
}
