import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/support/only-loopback.ts"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: "forks",
    // One for each core: on two of them the usual number, one less, leaves half of the machine idle.
    maxWorkers: "100%",
    // Threads that begin and end in great numbers run into a race in V8's book-keeping of memory protection keys
    // ("Check failed: jit_page.has_value()"), which takes the whole process down.
    execArgv: ["--no-memory-protection-keys"],
    // Real processes, clocks and disks: a test that a busy machine starved gets one more try, and is reported as such.
    retry: 1,
  },
});
