import { parentPort } from "node:worker_threads";
import type { Counters } from "../src/bot/counters.ts";
import { workOnBot } from "../src/bot/work-on-bot.ts";
import { loadConfig } from "../src/config.ts";
import { createLog } from "../src/log.ts";
import { buildBot } from "./build-bot.ts";

/** Handles deliveries and reports beside the thread that answers GitHub, so that neither holds up the other. */
const config = loadConfig();
const tell =
  (name: keyof Counters) =>
  (...values: unknown[]) =>
    parentPort?.postMessage({ name, values });
const counters: Counters = {
  delivery: tell("delivery"),
  runStarted: tell("runStarted"),
  runEnded: tell("runEnded"),
  stage: tell("stage"),
  fault: tell("fault"),
};
const bot = { ...buildBot(config, createLog(config.logLevel ?? "info")), counters };
const work = await workOnBot(config, bot);
parentPort?.once("message", async () => {
  await work[Symbol.asyncDispose]();
  await bot[Symbol.asyncDispose]();
  parentPort?.close();
});
parentPort?.postMessage("ready");
