import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Counters } from "../src/bot/counters.ts";

/**
 * Starts the bot's own thread; what it counts is counted here. Disposing of it ends its jobs and hands them back. When it
 * ends by itself, the process does: whoever started it starts it again.
 */
export async function startBotThread(counters: Counters): Promise<AsyncDisposable> {
  const thread = new Worker(new URL("./bot-thread.ts", import.meta.url));
  const ended = once(thread, "exit");
  let stopping = false;
  const ready = new Promise<void>((resolve) => {
    thread.on("message", (message: "ready" | { name: keyof Counters; values: [never, never] }) => {
      if (message === "ready") resolve();
      else counters[message.name](...message.values);
    });
  });
  thread.on("error", (error) => {
    throw error;
  });
  thread.on("exit", () => {
    if (!stopping) process.exit(1);
  });
  await ready;
  return {
    async [Symbol.asyncDispose]() {
      stopping = true;
      thread.postMessage("stop");
      await ended;
    },
  };
}
