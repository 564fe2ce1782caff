import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/support/only-loopback.ts"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: "forks",
    // Real processes, clocks and disks: a test that a busy machine starved gets one more try, and is reported as such.
    retry: 1,
  },
});
