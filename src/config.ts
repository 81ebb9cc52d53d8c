import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { UsageFault } from "./errors.ts";

const seconds = z.coerce.number().positive();
const count = z.coerce.number().int().positive();
const blankAsUnset = (value: unknown) => (value === "" ? undefined : value);
const optional = <T extends z.ZodType>(schema: T) => z.preprocess(blankAsUnset, schema.optional());
const withDefault = <T extends z.ZodType>(schema: T, value: z.input<T>) =>
  z.preprocess((given) => blankAsUnset(given) ?? value, schema);

/** Every variable the product reads, in the order of `.env.example`. The only reader of the process's environment. */
export const Config = z
  .object({
    /** Base URL of an OpenAI-compatible endpoint. Without it and without a key no model is asked. */
    OPENAI_BASE_URL: optional(z.url()),
    OPENAI_API_KEY: optional(z.string()),
    /** Model name, as the endpoint spells it. */
    OPENAI_MODEL: withDefault(z.string(), "gpt-4.1"),
    /** Seconds for one reply of the model. */
    REPGEN_MODEL_TIMEOUT_SECONDS: withDefault(seconds, 180),
    /** Tokens (prompts and replies together) that one issue may cost. */
    REPGEN_MAX_TOKENS: withDefault(count, 120_000),
    /** Candidates of the model that are tried for one issue. */
    REPGEN_MAX_ATTEMPTS: withDefault(count, 5),
    /** Seconds for one issue, everything together. */
    REPGEN_MAX_SECONDS: withDefault(seconds, 1800),
    /** `docker`, `bubblewrap`, or `auto`: Docker if its engine and image are there, else bubblewrap. */
    REPGEN_SANDBOX: withDefault(z.enum(["auto", "docker", "bubblewrap"]), "auto"),
    /** Image of the Docker sandbox. */
    REPGEN_SANDBOX_IMAGE: withDefault(z.string(), "repgen-sandbox:bookworm"),
    /** Docker's endpoint, as its own command line reads it. */
    DOCKER_HOST: optional(z.string()),
    /** GPUs that executions see, by UUID or index, separated by commas. */
    REPGEN_GPUS: withDefault(
      z.string().transform((list) => list.split(",").filter((gpu) => gpu !== "")),
      "",
    ),
    /** MiB of memory for one execution. */
    REPGEN_MEMORY_MIB: withDefault(count, 4096),
    /** Folder for repositories, indexes and environments. */
    REPGEN_CACHE: optional(z.string()),
    XDG_CACHE_HOME: optional(z.string()),
    /** Proxy that package registries are reached through. */
    HTTPS_PROXY: optional(z.url()),
    /** Certificate authorities to trust when packages are installed; pip's own setting where this is not set. */
    SSL_CERT_FILE: optional(z.string()),
    /** Token to read issues and clone with; public repositories need none. */
    GITHUB_TOKEN: optional(z.string()),
    GITHUB_API_URL: withDefault(z.url(), "https://api.github.com"),
    GITHUB_SERVER_URL: withDefault(z.url(), "https://github.com"),
    LOG_LEVEL: withDefault(z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]), "silent"),
  })
  .transform((env) => ({
    model: env.OPENAI_BASE_URL !== undefined || env.OPENAI_API_KEY !== undefined ? env.OPENAI_MODEL : null,
    modelBaseUrl: env.OPENAI_BASE_URL ?? null,
    modelApiKey: env.OPENAI_API_KEY ?? null,
    modelTimeoutMs: env.REPGEN_MODEL_TIMEOUT_SECONDS * 1000,
    maxTokens: env.REPGEN_MAX_TOKENS,
    maxAttempts: env.REPGEN_MAX_ATTEMPTS,
    maxDurationMs: env.REPGEN_MAX_SECONDS * 1000,
    sandbox: env.REPGEN_SANDBOX,
    sandboxImage: env.REPGEN_SANDBOX_IMAGE,
    dockerHost: env.DOCKER_HOST ?? null,
    gpus: env.REPGEN_GPUS,
    memoryBytes: env.REPGEN_MEMORY_MIB * 1024 ** 2,
    cacheDirectory: env.REPGEN_CACHE ?? join(env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "repgen"),
    httpsProxy: env.HTTPS_PROXY ?? null,
    certificatesFile: env.SSL_CERT_FILE ?? null,
    githubToken: env.GITHUB_TOKEN ?? null,
    githubApiUrl: env.GITHUB_API_URL,
    githubServerUrl: env.GITHUB_SERVER_URL,
    logLevel: env.LOG_LEVEL,
  }));
export type Config = z.infer<typeof Config>;

/** @throws {UsageFault} a variable has a value it can't have; the message names it. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const parsed = Config.safeParse(environment);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new UsageFault(`The environment has a wrong setting.\n${lines.join("\n")}`);
}
