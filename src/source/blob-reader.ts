import { once } from "node:events";
import { RepositoryFault } from "../errors.ts";
import { type GitOptions, killGroup, spawnGit } from "./git.ts";

/** Reads objects one after another from a single `git cat-file --batch`. Dispose it when done. */
export interface BlobReader extends AsyncDisposable {
  /** The bytes of an object; null when it is not there. One call at a time. */
  read(id: string): Promise<Buffer | null>;
}

export function openBlobReader(options: GitOptions, signal: AbortSignal): BlobReader {
  const child = spawnGit(["cat-file", "--batch"], options);
  const kill = () => killGroup(child.pid);
  const closed = once(child, "close").catch(() => []);
  signal.addEventListener("abort", kill, { once: true });
  child.stdin.on("error", () => {});
  child.stderr.resume();
  const output: AsyncIterator<Buffer> = child.stdout[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function more(): Promise<Buffer> {
    const { value, done } = await output.next();
    signal.throwIfAborted();
    if (done) throw new RepositoryFault("git ended while its objects were read", { retryable: true });
    return value;
  }

  async function line(): Promise<string> {
    while (!rest.includes(10)) rest = Buffer.concat([rest, await more()]);
    const end = rest.indexOf(10);
    const text = rest.toString("latin1", 0, end);
    rest = rest.subarray(end + 1);
    return text;
  }

  async function bytes(count: number): Promise<Buffer> {
    const parts = [rest];
    let have = rest.length;
    while (have < count) {
      const part = await more();
      parts.push(part);
      have += part.length;
    }
    const all = parts.length === 1 ? rest : Buffer.concat(parts);
    rest = all.subarray(count);
    return all.subarray(0, count);
  }

  return {
    async read(id) {
      signal.throwIfAborted();
      child.stdin.write(`${id}\n`);
      const [, , size] = (await line()).split(" ");
      if (size === undefined) return null;
      return (await bytes(Number(size) + 1)).subarray(0, -1);
    },
    async [Symbol.asyncDispose]() {
      signal.removeEventListener("abort", kill);
      kill();
      await closed;
    },
  };
}
