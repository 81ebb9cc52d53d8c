import type { Desk } from "../ports/desk.ts";
import type { BotDeps } from "./deps.ts";
import { RepositorySettings, readRepositorySettings, settingsPath } from "./repository-settings.ts";
import type { Home } from "./types.ts";

/** The settings that hold for a repository, and what is wrong with its file when they are only the defaults for that. */
export interface FoundSettings extends RepositorySettings {
  wrong: { sha: string; problems: string[] } | null;
}

/** Every label of a busy repository asks for them. */
const keptSeconds = 30;

/** Reads the settings of the default branch, at most every half a minute. */
export async function findSettings(
  { installationId, repository }: Pick<Home, "installationId" | "repository">,
  deps: BotDeps,
): Promise<FoundSettings> {
  const name = `settings-${repository.id}`;
  const kept = await deps.ledger.note(name);
  const file =
    kept === null
      ? await deps.desk.of(installationId).readFile(repository.fullName, settingsPath)
      : (JSON.parse(kept) as Awaited<ReturnType<Desk["readFile"]>>);
  if (kept === null) await deps.ledger.putNote(name, JSON.stringify(file), keptSeconds);
  const read = readRepositorySettings(file === null ? "" : file.text);
  return read.ok
    ? { ...read.settings, wrong: null }
    : { ...RepositorySettings.parse({}), wrong: { sha: file?.sha ?? "", problems: read.problems } };
}
