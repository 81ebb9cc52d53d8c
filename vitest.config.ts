import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // The tests share two things that do not like company: the engine's CPU and the package cache.
    maxWorkers: 2,
  },
});
