import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../src/config.ts";
import { UsageFault } from "../src/errors.ts";

describe("loadConfig", () => {
  it("has a value for everything and no model without an endpoint", () => {
    expect(loadConfig({ HOME: "/home/me", XDG_CACHE_HOME: "/cache" })).toMatchObject({
      model: null,
      sandbox: "auto",
      gpus: [],
      memoryBytes: 4 * 1024 ** 3,
      cacheDirectory: "/cache/repgen",
      githubApiUrl: "https://api.github.com",
    });
  });

  it("takes an empty variable for one that is not set", () => {
    expect(loadConfig({ OPENAI_BASE_URL: "", REPGEN_MAX_ATTEMPTS: "" })).toMatchObject({ model: null, maxAttempts: 5 });
  });

  it("asks the configured model as soon as there is an endpoint or a key", () => {
    const endpoint = { OPENAI_BASE_URL: "http://localhost:8000/v1", OPENAI_MODEL: "qwen" };
    expect(loadConfig(endpoint)).toMatchObject({ model: "qwen", modelBaseUrl: "http://localhost:8000/v1" });
    expect(loadConfig({ OPENAI_API_KEY: "key" }).model).toBe("gpt-4.1");
  });

  it("reads a list of GPUs", () => {
    expect(loadConfig({ REPGEN_GPUS: "0,GPU-5f" }).gpus).toEqual(["0", "GPU-5f"]);
  });

  it.each([
    ["REPGEN_SANDBOX", "podman"],
    ["REPGEN_MAX_TOKENS", "many"],
    ["REPGEN_MAX_ATTEMPTS", "0"],
    ["OPENAI_BASE_URL", "localhost"],
  ])("names %s when it is %j", (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(UsageFault);
    expect(() => loadConfig({ [name]: value })).toThrow(name);
  });

  it("reads just the variables that .env.example explains, in its order", () => {
    const source = readFileSync(new URL("../src/config.ts", import.meta.url), "utf8");
    const example = readFileSync(new URL("../.env.example", import.meta.url), "utf8");
    const read = [...source.matchAll(/^ {4}([A-Z][A-Z0-9_]+):/gm)].map((match) => match[1]);
    const explained = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]);
    expect(explained).toEqual(read);
  });
});
