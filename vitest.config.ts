import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/support/only-loopback.ts"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: "forks",
    // One for each core: the default, one less, leaves half of a machine with two cores idle.
    maxWorkers: "100%",
    // Starting and ending many threads can trigger a race in the way V8 tracks memory protection keys ("Check failed:
    // jit_page.has_value()"), which crashes the whole process.
    execArgv: ["--no-memory-protection-keys"],
  },
});
