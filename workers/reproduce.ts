import { loadConfig } from "../src/config.ts";
import { createLog } from "../src/log.ts";
import { serveAlone } from "../src/serve-operators.ts";
import { workOnRuns } from "../src/worker/work-on-runs.ts";
import { buildWorker } from "./build-worker.ts";
import { exitWithFault } from "./exit-with-fault.ts";
import { loadSettings } from "./load-settings.ts";
import { aborted, untilStopped } from "./until-stopped.ts";

loadSettings();
try {
  const config = loadConfig();
  const log = createLog(config.logLevel ?? "info");
  const stopped = untilStopped();
  await using worker = await buildWorker(config, log, stopped);
  const pages = { ready: () => worker.ledger.ping(), metrics: worker.counters.metrics };
  await using _pages = await serveAlone(pages, { host: config.host, port: config.workerPort });
  // Waits for Redis, as long as it takes; the log says so.
  await Promise.race([worker.ledger.ping(), aborted(stopped)]);
  stopped.throwIfAborted();
  await using _work = workOnRuns(config, worker);
  log.info(
    { gpus: config.gpus, concurrency: config.concurrency, sandbox: worker.pipeline.sandbox.description },
    "ready",
  );
  await aborted(stopped);
} catch (error) {
  exitWithFault(error);
}
