import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { UsageFault } from "../errors.ts";
import { parseIssueFile } from "../issue/issue-file.ts";
import type { Forge } from "../ports/forge.ts";
import type { Issue } from "../types.ts";
import type { Io } from "./io.ts";

/**
 * Reads the issue that the command line names.
 * @throws {UsageFault} it is neither a URL of an issue nor a file. @throws {IssueFault} it cannot be read.
 */
export async function readIssueArgument(argument: string, io: Io, forge: Forge, signal: AbortSignal): Promise<Issue> {
  if (/^https?:\/\//.test(argument)) {
    const match = /^https?:\/\/[^/]+\/([\w.-]+\/[\w.-]+)\/issues\/(\d+)(?:[/?#].*)?$/.exec(argument);
    if (match?.[1] === undefined) {
      throw new UsageFault(`${argument} is not an issue's URL. Write https://github.com/OWNER/REPO/issues/N.`);
    }
    return await forge.getIssue(match[1], Number(match[2]), signal);
  }
  try {
    return parseIssueFile(await readFile(resolve(io.cwd, argument)), argument);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const why = error.code === "ENOENT" ? "there is no such file" : error.message;
    throw new UsageFault(`${argument} cannot be read: ${why}. Give an issue's URL, a .md file or a .json file.`, {
      cause: error,
    });
  }
}
