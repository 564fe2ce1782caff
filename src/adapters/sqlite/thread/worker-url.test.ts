import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { workerUrl } from "./lazy-thread.ts";

test.each(["writer", "reader", "text-index-worker", "memory-worker", "page-cache-worker"] as const)(
  "the code of the %s thread exists at its URL",
  (role) => {
    expect(existsSync(workerUrl(role))).toBe(true);
  },
);
