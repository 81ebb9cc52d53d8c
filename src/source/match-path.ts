/**
 * The project's file that a path in a report means, or null when none or several could be meant.
 * A path from installed packages counts only if the project has just that path, at its root or below one folder
 * (`src/`). Any other is matched by as many of its last components as there are.
 */
export function matchPath(reported: string, files: readonly string[]): string | null {
  const path = reported.replaceAll("\\", "/").replace(/^(\.\/)+/, "");
  const installed = /(?:^|.*\/)(?:site|dist)-packages\/(.+)$/.exec(path)?.[1];
  if (installed !== undefined) {
    return only(files.filter((file) => file === installed || file.replace(/^[^/]+\//, "") === installed));
  }
  const names = path.split("/").filter((name) => name !== "");
  for (let count = names.length; count > 0; count--) {
    const suffix = names.slice(-count).join("/");
    const found = files.filter((file) => file === suffix || file.endsWith(`/${suffix}`));
    if (found.length > 0) return found.includes(path) ? path : only(found);
  }
  return null;
}

function only(found: readonly string[]): string | null {
  return found.length === 1 ? (found[0] ?? null) : null;
}
