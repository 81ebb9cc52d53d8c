import { run, Server } from "probot";
import { createApp } from "../src/app.ts";
import { loadConfig } from "../src/config.ts";
import { createLog } from "../src/log.ts";
import { serveOperators } from "../src/serve-operators.ts";
import { buildBot } from "./build-bot.ts";
import { exitWithFault } from "./exit-with-fault.ts";
import { loadSettings } from "./load-settings.ts";
import { startBotThread } from "./start-bot-thread.ts";
import { aborted, untilStopped } from "./until-stopped.ts";

loadSettings();
try {
  const config = loadConfig();
  const { host, port, webhookProxyUrl } = config;
  const log = createLog(config.logLevel ?? "info");
  if (config.appId === null) {
    // Probot's pages to register the App, which write what it needs into `.env`.
    await run(() => {}, {
      env: { HOST: host, PORT: String(port), WEBHOOK_PROXY_URL: webhookProxyUrl ?? undefined },
      log,
    });
  } else {
    const stopped = untilStopped();
    await using bot = buildBot(config, log);
    const server = new Server({ host, port, log, Probot: bot.Probot, webhookProxy: webhookProxyUrl ?? undefined });
    await server.load(createApp(bot));
    server.addHandler(serveOperators({ ready: () => bot.ledger.ping(), metrics: bot.counters.metrics }));
    if (bot.board !== null) server.addHandler(bot.board);
    // Waits for Redis, as long as it takes; the log says so.
    await Promise.race([bot.ledger.ping(), aborted(stopped)]);
    stopped.throwIfAborted();
    await using _thread = await startBotThread(bot.counters);
    await server.start();
    log.info({ host: server.host, port: server.port }, "listening");
    await aborted(stopped);
    await server.stop();
  }
} catch (error) {
  exitWithFault(error);
}
