import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readPlainFile } from "./read-folder.ts";

/** Folders at the root that hold code beside the project's own packages. */
const BESIDE = /^(tests?|testing|docs?|examples?|scripts?|tools?|benchmarks?|notebooks?|build|dist|ci|\..*|_.*)$/i;
const NOT_MODULES = /^(setup|conftest|noxfile|fabfile|tasks|versioneer|test_.*|.*_test|_.*)\.py$/;
const SOURCE_ROOTS = ["", "src", "python", "lib"];

/**
 * Import names of a project, the one named like its distribution first. Read, not run: packages at its root or below
 * `src/`, single modules that it installs, and for a project without either its modules at the root.
 */
export async function importPackages(directory: string): Promise<string[]> {
  const declared = await declaredNames(directory);
  const found: string[] = [];
  const loose: string[] = [];
  for (const root of SOURCE_ROOTS) {
    for (const entry of await list(join(directory, root))) {
      const name = entry.name.replace(/\.py$/, "");
      if (!/^[A-Za-z_]\w*$/.test(name) || (root === "" && SOURCE_ROOTS.includes(name))) continue;
      const place = join(directory, root, entry.name);
      if (entry.isFile() && entry.name.endsWith(".py") && !NOT_MODULES.test(entry.name)) {
        (declared.has(name) || root === "src" ? found : loose).push(name);
      } else if (entry.isDirectory() && (await isPackage(place, declared.has(name) || root === "src"))) {
        if (!BESIDE.test(name) || declared.has(name)) found.push(name);
      }
    }
  }
  const names = [...new Set(found.length > 0 ? found : loose)];
  const rank = (name: string) => [...declared].indexOf(name) >>> 0;
  return names.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

async function isPackage(place: string, withoutInit: boolean): Promise<boolean> {
  const names = (await list(place)).map(({ name }) => name);
  return names.includes("__init__.py") || (withoutInit && names.some((name) => name.endsWith(".py")));
}

async function list(directory: string) {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names in the project's metadata that may be import names, that of the distribution first. */
async function declaredNames(directory: string): Promise<Set<string>> {
  const names: string[] = [];
  for (const file of ["pyproject.toml", "setup.cfg", "setup.py"]) {
    const text = await readPlainFile(join(directory, file)).then(String, () => "");
    names.push(...namesIn(text.slice(0, 200_000)));
  }
  return new Set(names.map((name) => name.replace(/[-.]/g, "_").replace(/^_+|_+$/g, "")).filter((name) => name !== ""));
}

function namesIn(text: string): string[] {
  const single = [...text.matchAll(/^\s*(?:name|module-name)\s*=\s*["']?([\w.-]+)["']?\s*,?\s*$/gm)];
  const lists = [...text.matchAll(/\b(?:packages|py_modules|py-modules)\s*=\s*\[([^\]]{0,2000})\]/g)];
  const listed = lists.flatMap(([, inside = ""]) => [...inside.matchAll(/["']([\w-]+)["']/g)]);
  return [...single, ...listed].flatMap(([, name]) => name ?? []);
}
