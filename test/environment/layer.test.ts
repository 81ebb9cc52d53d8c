import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Draft, ensureLayer } from "../../src/environment/layer.ts";

const signal = new AbortController().signal;
const module = join(import.meta.dirname, "../../src/environment/layer.ts");
const facts = z.object({ built: z.number() });
let cache = "";

beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), "repgen-test-"));
});

afterEach(() => rm(cache, { recursive: true, force: true }));

async function writeMarker(draft: Draft): Promise<void> {
  await writeFile(join(draft.hostPath, "root", "marker"), "done");
}

describe("ensureLayer", () => {
  it("builds what is not there, once for calls at the same time, and then finds it", async () => {
    let builds = 0;
    const recipe = {
      madeOf: ["a"],
      facts,
      build: async (draft: Draft) => {
        builds += 1;
        await writeMarker(draft);
        return { built: builds };
      },
    };

    const layers = await Promise.all([1, 2, 3].map(() => ensureLayer(recipe, cache, signal)));
    const again = await ensureLayer(recipe, cache, signal);

    expect(builds).toBe(1);
    expect(new Set([...layers, again].map((layer) => layer.hostPath)).size).toBe(1);
    expect(again.facts).toEqual({ built: 1 });
    expect(again.mount).toEqual({
      hostPath: join(again.hostPath, "root"),
      sandboxPath: again.sandboxPath,
      writable: false,
    });
    expect(await readFile(join(again.mount.hostPath, "marker"), "utf8")).toBe("done");
    expect((await readdir(again.hostPath)).sort()).toEqual(["facts.json", "root"]);
  });

  it("names different contents differently", async () => {
    const build = async () => ({ built: 1 });

    const one = await ensureLayer({ madeOf: ["a"], facts, build }, cache, signal);
    const other = await ensureLayer({ madeOf: ["b"], facts, build }, cache, signal);

    expect(one.sandboxPath).not.toBe(other.sandboxPath);
  });

  it("leaves nothing of a build that fails", async () => {
    const build = async (draft: Draft) => {
      await writeMarker(draft);
      throw new Error("no");
    };

    await expect(ensureLayer({ madeOf: ["a"], facts, build }, cache, signal)).rejects.toThrow("no");

    expect(await readdir(join(cache, "environments"))).toEqual([]);
  });

  it("takes nothing of a build that was killed for complete, and builds again", async () => {
    const script = `
      import { ensureLayer } from ${JSON.stringify(module)};
      import { z } from ${JSON.stringify(import.meta.resolve("zod"))};
      const build = () => new Promise(() => { console.log("building"); setInterval(() => {}, 1000); });
      await ensureLayer({ madeOf: ["a"], facts: z.object({ built: z.number() }), build }, ${JSON.stringify(cache)}, new AbortController().signal);
    `;
    const builder = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(builder.stdout, "data");
    builder.kill("SIGKILL");
    await once(builder, "exit");
    const left = await readdir(join(cache, "environments"));

    const layer = await ensureLayer({ madeOf: ["a"], facts, build: async () => ({ built: 2 }) }, cache, signal);

    expect(left).toHaveLength(1);
    expect(layer.facts).toEqual({ built: 2 });
    expect(await readdir(join(cache, "environments"))).toEqual([layer.sandboxPath.slice("/env/".length)]);
  });
});
