import type { SandboxPython } from "../ports/sandbox.ts";

/** Minor versions by how well deep-learning packages support them. */
const PREFERRED = ["3.11", "3.12", "3.10", "3.13", "3.9", "3.8"];

/** `3.11` of `3.11.7`. */
export function minorVersion(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

/** The interpreters that environments can be made with, the most suitable first; the newest of equal minor versions. */
export function usablePythons(pythons: readonly SandboxPython[]): SandboxPython[] {
  const rank = (python: SandboxPython) => PREFERRED.indexOf(minorVersion(python.version));
  return pythons.filter((python) => rank(python) !== -1).sort((one, other) => rank(one) - rank(other));
}
