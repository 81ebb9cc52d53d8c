import { describe, expect, it } from "vitest";
import type { LexicalIndex } from "../../src/ports/lexical-index.ts";
import type { Chunk } from "../../src/types.ts";

export function chunkOf(symbol: string, text: string, more: Partial<Chunk> = {}): Chunk {
  const kind = symbol.includes(".") ? "method" : "function";
  return { path: "pkg/a.py", startLine: 1, endLine: 2, kind, symbol, text, ...more };
}

const key = { repository: "https://example.org/a", commit: "1" };

const chunks = [
  chunkOf("Attention.forward", "def forward(self, x): return self.to_out(x)", { startLine: 10, endLine: 11 }),
  chunkOf("Attention", "class Attention(nn.Module):", { kind: "class", startLine: 8, endLine: 9 }),
  chunkOf("forward", "def forward(q, k, attn_one_kv_head): pass", { path: "pkg/b.py" }),
  chunkOf("b", "import torch", { path: "pkg/b.py", kind: "module", startLine: 5, endLine: 5 }),
];

/** What every lexical index does. */
export function lexicalIndexContract(create: () => LexicalIndex | Promise<LexicalIndex>): void {
  describe("as a lexical index", () => {
    it("has a commit once it is written, and no other", async () => {
      const index = await create();
      expect(await index.has(key)).toBe(false);

      await index.write(key, chunks);

      expect(await index.has(key)).toBe(true);
      expect(await index.has({ ...key, commit: "2" })).toBe(false);
      expect(await index.has({ ...key, repository: "https://example.org/b" })).toBe(false);
    });

    it("has a commit without chunks", async () => {
      const index = await create();

      await index.write(key, []);

      expect(await index.has(key)).toBe(true);
      expect(await index.search(key, "attention", 5)).toEqual([]);
    });

    it("keeps one copy of what is written twice, also at once", async () => {
      const index = await create();

      await Promise.all([index.write(key, chunks), index.write(key, chunks)]);
      await index.write(key, chunks);

      expect(await index.definitions(key, "Attention")).toEqual([chunks[1]]);
    });

    it("gives the chunks of a file in line order, and none of an unknown one", async () => {
      const index = await create();
      await index.write(key, chunks);

      expect(await index.file(key, "pkg/a.py")).toEqual([chunks[1], chunks[0]]);
      expect(await index.file(key, "pkg/c.py")).toEqual([]);
      expect(await index.file({ ...key, commit: "2" }, "pkg/a.py")).toEqual([]);
    });

    it("finds definitions by their whole symbol or its end, in exact case", async () => {
      const index = await create();
      await index.write(key, chunks);

      expect(await index.definitions(key, "forward")).toEqual([chunks[0], chunks[2]]);
      expect(await index.definitions(key, "Attention.forward")).toEqual([chunks[0]]);
      expect(await index.definitions(key, "tion.forward")).toEqual([]);
      expect(await index.definitions(key, "attention")).toEqual([]);
      expect(await index.definitions(key, "")).toEqual([]);
    });

    it("finds chunks by whole identifiers and by their parts, best first", async () => {
      const index = await create();
      await index.write(key, chunks);
      const best = async (text: string) => (await index.search(key, text, 3))[0]?.chunk;

      expect(await best("attn_one_kv_head")).toEqual(chunks[2]);
      expect(await best("the KV head")).toEqual(chunks[2]);
      expect(await best("nn.Module")).toEqual(chunks[1]);
      expect((await index.search(key, "forward", 1)).length).toBe(1);
      const scores = (await index.search(key, "forward attention", 9)).map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    });

    it("scores a commit's chunks by that commit alone", async () => {
      const index = await create();
      await index.write(key, chunks);
      const before = await index.search(key, "forward torch", 9);

      await index.write({ ...key, commit: "2" }, [...chunks, chunkOf("torch", "torch torch torch")]);

      expect(await index.search(key, "forward torch", 9)).toEqual(before);
    });

    it.each(['"', "NEAR(a b)", "a AND", "symbol:x*", "'; DROP TABLE chunks; --", "(", "\0", "-forward", "…"])(
      "takes %j as text",
      async (text) => {
        const index = await create();
        await index.write(key, chunks);

        await expect(index.search(key, text, 3)).resolves.toBeInstanceOf(Array);
        expect(await index.has(key)).toBe(true);
      },
    );

    it("finds nothing for a text without words, an unknown commit or a limit of zero", async () => {
      const index = await create();
      await index.write(key, chunks);

      expect(await index.search(key, " ?! ", 3)).toEqual([]);
      expect(await index.search({ ...key, commit: "2" }, "forward", 3)).toEqual([]);
      expect(await index.search(key, "forward", 0)).toEqual([]);
    });

    it("takes texts of any length", async () => {
      const index = await create();
      await index.write(key, chunks);
      const words = Array.from({ length: 20_000 }, (_, number) => `word${number}`).join(" ");

      expect((await index.search(key, `forward ${words}`, 3)).length).toBe(2);
    });
  });
}
