import { existsSync } from "node:fs";
import { join } from "node:path";

/** Reads the project's own `.env`, and no other: one in the current folder may be somebody else's. */
export function loadSettings(): void {
  const settings = join(import.meta.dirname, "..", ".env");
  if (existsSync(settings)) process.loadEnvFile(settings);
}
