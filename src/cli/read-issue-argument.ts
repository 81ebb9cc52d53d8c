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
    const named = forge.parseIssueUrl(argument);
    if (named === null) {
      const example = forge.cloneUrl("OWNER/REPO").replace(/\.git$/, "/issues/N");
      throw new UsageFault(
        `${argument} is not an issue's URL. Write ${example}; another server's address goes into GITHUB_SERVER_URL and GITHUB_API_URL.`,
      );
    }
    return await forge.getIssue(named.repository, named.number, signal);
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
