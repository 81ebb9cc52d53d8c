import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

/** Folder of `src`, or the file itself at its top, with the third-party packages that it may import. */
const packages: Record<string, string[]> = {
  "src/adapters": [],
  "src/ports": [],
  "src/source": ["web-tree-sitter", "tar"],
  "src/sandbox": [],
  "src/environment": ["zod", "smol-toml"],
  "src/cli.ts": ["commander"],
  "src/cli": ["log-update"],
  "src/log.ts": ["pino"],
  "src/bot": ["shell-quote", "yaml"],
  workers: ["probot", "ioredis"],
};
/** What travels, and nothing that does anything. */
const nouns = ["src/types.ts", "src/jobs.ts", "src/bot/types.ts"];
const everywhere = ["zod"];
/** What an SDK's requests go through is no SDK. */
const transports = ["undici"];

interface Import {
  from: string;
  to: string;
}

const files = globSync("{src,workers}/**/*.ts", { cwd: root }).map((file) => file.replaceAll("\\", "/"));
const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(join(root, from), "utf8").replace(/^import type [\s\S]*? from "[^."][^"]*";$/gm, "");
  return [...text.matchAll(/(?:from|^import) "([^"]+)"/gm)].flatMap(([, to = ""]) => {
    if (to.startsWith("node:")) return [];
    return [{ from, to: to.startsWith(".") ? relative(root, join(root, dirname(from), to)) : to }];
  });
});
const within = (folder: string) => (path: string) => path === folder || path.startsWith(`${folder}/`);
const broken = (rule: (each: Import) => boolean) => imports.filter(rule).map(({ from, to }) => `${from} → ${to}`);

describe("who may import whom", () => {
  it("has files to look at", () => {
    expect(files.length).toBeGreaterThan(50);
  });

  it("lets nothing in src import an entry point", () => {
    expect(broken(({ from, to }) => within("src")(from) && within("workers")(to))).toEqual([]);
  });

  it("lets only workers import adapters", () => {
    const fromOutside = ({ from, to }: Import) => within("src/adapters")(to) && !within("src/adapters")(from);
    expect(broken((each) => fromOutside(each) && !within("workers")(each.from))).toEqual([]);
  });

  it("keeps ports free of everything but the nouns", () => {
    expect(broken(({ from, to }) => within("src/ports")(from) && !nouns.includes(to))).toEqual([]);
  });

  it("lets source, sandbox and issue know nothing of the pipeline", () => {
    const lower = ["src/source", "src/sandbox", "src/issue", "src/environment", "src/ports", "src/adapters"];
    expect(broken(({ from, to }) => lower.some((each) => within(each)(from)) && within("src/pipeline")(to))).toEqual(
      [],
    );
  });

  it("gives each adapter one SDK at most", () => {
    const counts = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      if (!within("src/adapters")(from) || to.startsWith("src/") || [...everywhere, ...transports].includes(to))
        continue;
      counts.set(from, (counts.get(from) ?? new Set()).add(to.split("/")[0] ?? to));
    }
    expect([...counts].filter(([, sdks]) => sdks.size > 1)).toEqual([]);
  });

  it("lets no folder import a package that is not its own", () => {
    const strange = ({ from, to }: Import) => {
      if (files.includes(to) || to === "package.json" || within("src/adapters")(from)) return false;
      const folder = Object.keys(packages).find((each) => within(each)(from));
      const allowed = [...everywhere, ...(folder === undefined ? [] : (packages[folder] ?? []))];
      return !allowed.some((name) => to === name || to.startsWith(`${name}/`));
    };
    expect(broken(strange)).toEqual([]);
  });

  it("reads the process's environment in the configuration, and hands git what it may know of it", () => {
    const readers = files.filter((file) => /process\.env\b/.test(readFileSync(join(root, file), "utf8")));
    expect(readers.toSorted()).toEqual(["src/config.ts", "src/source/git.ts"]);
  });
});
