import { join } from "node:path";
import type { Logger } from "pino";
import { chooseSandbox } from "../src/adapters/choose-sandbox.ts";
import { createGitHubForge } from "../src/adapters/github-forge.ts";
import { createOpenAiLanguageModel } from "../src/adapters/openai-language-model.ts";
import { recordLanguageModel, replayLanguageModel } from "../src/adapters/recording-language-model.ts";
import { createSqliteIndex } from "../src/adapters/sqlite-index.ts";
import type { Dependencies, ModelChoice } from "../src/cli/io.ts";
import type { Config } from "../src/config.ts";
import { pipHosts, readPipConfiguration } from "../src/environment/pip-configuration.ts";
import { UsageFault } from "../src/errors.ts";
import { createLog } from "../src/log.ts";
import type { Deps } from "../src/pipeline/deps.ts";
import { nothingPaid } from "../src/pipeline/paid.ts";
import type { LanguageModel } from "../src/ports/language-model.ts";
import { removeStaleFolders } from "../src/temporary-folder.ts";

/** What the command line is made of. */
export async function buildDependencies(
  config: Config,
  choice: ModelChoice,
  signal: AbortSignal,
): Promise<Dependencies> {
  const log = createLog(config.logLevel ?? "silent");
  const languageModel = buildLanguageModel(config, choice);
  const pipeline = await buildPipeline(config, log, signal);
  const { githubServerUrl: serverUrl, githubToken: token } = config;
  const forge = createGitHubForge({
    baseUrl: config.githubApiUrl,
    cloneBaseUrl: serverUrl,
    token,
    userAgent: "repgen-bot",
  });
  return {
    ...pipeline,
    forge,
    languageModel,
    repositoryAccess: token === null ? null : { serverUrl, token },
    paid: nothingPaid,
    secrets: [token, config.modelApiKey].filter((secret) => secret !== null),
    async [Symbol.asyncDispose]() {
      await pipeline.index.close();
    },
  };
}

/** What runs issues on this machine, whoever asked for it. */
export async function buildPipeline(
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<Pick<Deps, "sandbox" | "index" | "pip" | "cacheDirectory" | "log">> {
  await removeStaleFolders();
  const pip = await readPipConfiguration(signal);
  const { sandbox, notes } = await chooseSandbox({
    want: config.sandbox,
    image: config.sandboxImage,
    host: config.dockerHost ?? undefined,
    registries: {
      hosts: pipHosts(pip),
      upstreamProxy: config.httpsProxy ?? undefined,
      certificatesFile: config.certificatesFile ?? pip.cert,
    },
  });
  for (const note of notes) log.info({ note }, "sandbox not used");
  const index = createSqliteIndex({ file: join(config.cacheDirectory, "index.sqlite") });
  return { sandbox, index, pip, cacheDirectory: config.cacheDirectory, log };
}

export function buildLanguageModel(config: Config, choice: ModelChoice): LanguageModel | null {
  if (choice.replay !== null) return replayLanguageModel(choice.replay);
  const name = choice.name ?? config.model;
  if (name === null || config.model === null) {
    if (choice.name === null && choice.record === null) return null;
    throw new UsageFault("No model endpoint is configured. Set OPENAI_BASE_URL, or OPENAI_API_KEY for OpenAI's own.");
  }
  const { modelBaseUrl, modelApiKey, modelTimeoutMs } = config;
  const model = createOpenAiLanguageModel({
    baseUrl: modelBaseUrl,
    apiKey: modelApiKey,
    model: name,
    timeoutMs: modelTimeoutMs,
  });
  return choice.record === null ? model : recordLanguageModel(model, choice.record);
}
