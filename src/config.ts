import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { UsageFault } from "./errors.ts";

const seconds = z.coerce.number().positive();
const count = z.coerce.number().int().positive();
const blankAsUnset = (value: unknown) => (value === "" ? undefined : value);
/** `runs=20,tokens=2000000,gpu-seconds=7200`; what is left out has no limit. */
const daily = z.string().transform((text, context) => {
  const limits = {
    runs: Number.POSITIVE_INFINITY,
    tokens: Number.POSITIVE_INFINITY,
    gpuSeconds: Number.POSITIVE_INFINITY,
  };
  const names = { runs: "runs", tokens: "tokens", "gpu-seconds": "gpuSeconds" } as const;
  for (const part of text.split(",").filter((each) => each.trim() !== "")) {
    const [, name = "", amount = ""] = /^\s*(runs|tokens|gpu-seconds)=(\d+)\s*$/.exec(part) ?? [];
    if (amount === "")
      context.addIssue({ code: "custom", message: `write runs=N,tokens=N,gpu-seconds=N, not ${part}` });
    else limits[names[name as keyof typeof names]] = Number(amount);
  }
  return limits;
});
const optional = <T extends z.ZodType>(schema: T) => z.preprocess(blankAsUnset, schema.optional());
const withDefault = <T extends z.ZodType>(schema: T, value: z.input<T>) =>
  z.preprocess((given) => blankAsUnset(given) ?? value, schema);

const hasEndpoint = (env: { OPENAI_BASE_URL?: string | undefined; OPENAI_API_KEY?: string | undefined }) =>
  env.OPENAI_BASE_URL !== undefined || env.OPENAI_API_KEY !== undefined;

/** Every variable the product reads, in the order of `.env.example`. The only reader of the process's environment. */
export const Config = z
  .object({
    /** Base URL of an OpenAI-compatible endpoint. Without it and without a key no model is asked. */
    OPENAI_BASE_URL: optional(z.url()),
    OPENAI_API_KEY: optional(z.string()),
    /** Model name, as the endpoint spells it. */
    OPENAI_MODEL: withDefault(z.string(), "gpt-4.1"),
    /** Models besides that one that a command's `--model` may name, separated by commas. */
    REPGEN_MODELS: withDefault(
      z.string().transform((list) => list.split(",").flatMap((name) => name.trim() || [])),
      "",
    ),
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
    /** The App's id and private key (PEM, or a file of it); only the process that answers GitHub has them. */
    APP_ID: optional(z.string().regex(/^\d+$/)),
    PRIVATE_KEY: optional(z.string()),
    PRIVATE_KEY_PATH: optional(z.string()),
    /** What GitHub signs deliveries with. */
    WEBHOOK_SECRET: optional(z.string().min(8)),
    /** A smee.io channel, for development behind a firewall. */
    WEBHOOK_PROXY_URL: optional(z.url()),
    /** Where the webhook process listens. */
    HOST: withDefault(z.string(), "127.0.0.1"),
    PORT: withDefault(z.coerce.number().int().min(0).max(65_535), 3000),
    /** Password of user `admin` for the queues' page; without it there is none. */
    REPGEN_BOARD_PASSWORD: optional(z.string().min(8)),
    REDIS_URL: withDefault(z.string().regex(/^(rediss?|unix):\/\//), "redis://127.0.0.1:6379"),
    /** Before every key in Redis. */
    REPGEN_REDIS_PREFIX: withDefault(z.string().regex(/^[\w-]+$/), "repgen"),
    /** Shared by the two processes, to pass tokens for private repositories. */
    REPGEN_QUEUE_SECRET: optional(z.string().min(16)),
    /** Runs on CPUs that one worker works on at a time; with GPUs, one more on each. */
    REPGEN_CONCURRENCY: withDefault(count, 1),
    /** Where a worker tells of its health and figures; 0 for nowhere. */
    REPGEN_WORKER_PORT: withDefault(z.coerce.number().int().min(0).max(65_535), 0),
    /** Seconds without a sign of life after which a worker's run goes to another. */
    REPGEN_LOCK_SECONDS: withDefault(seconds, 60),
    /** Seconds between sweeps for missed deliveries and lost runs. */
    REPGEN_SWEEP_SECONDS: withDefault(seconds, 300),
    /** What may be used on a day (UTC) by one repository, one installation, and altogether. */
    REPGEN_DAILY_PER_REPOSITORY: withDefault(daily, "runs=50"),
    REPGEN_DAILY_PER_INSTALLATION: withDefault(daily, "runs=200"),
    REPGEN_DAILY: withDefault(daily, ""),
    LOG_LEVEL: optional(z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])),
  })
  .transform((env) => ({
    model: hasEndpoint(env) ? env.OPENAI_MODEL : null,
    models: hasEndpoint(env) ? [env.OPENAI_MODEL, ...env.REPGEN_MODELS] : [],
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
    appId: env.APP_ID ?? null,
    privateKey: env.PRIVATE_KEY ?? null,
    privateKeyPath: env.PRIVATE_KEY_PATH ?? null,
    webhookSecret: env.WEBHOOK_SECRET ?? null,
    webhookProxyUrl: env.WEBHOOK_PROXY_URL ?? null,
    host: env.HOST,
    port: env.PORT,
    boardPassword: env.REPGEN_BOARD_PASSWORD ?? null,
    redisUrl: env.REDIS_URL,
    redisPrefix: env.REPGEN_REDIS_PREFIX,
    queueSecret: env.REPGEN_QUEUE_SECRET ?? null,
    concurrency: env.REPGEN_CONCURRENCY,
    workerPort: env.REPGEN_WORKER_PORT,
    lockMs: env.REPGEN_LOCK_SECONDS * 1000,
    sweepMs: env.REPGEN_SWEEP_SECONDS * 1000,
    daily: {
      repository: env.REPGEN_DAILY_PER_REPOSITORY,
      installation: env.REPGEN_DAILY_PER_INSTALLATION,
      everything: env.REPGEN_DAILY,
    },
    logLevel: env.LOG_LEVEL ?? null,
  }));
export type Config = z.infer<typeof Config>;

/** @throws {UsageFault} a variable has a value it can't have; the message names it. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const parsed = Config.safeParse(environment);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new UsageFault(`The environment has a wrong setting.\n${lines.join("\n")}`);
}
