import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = new URL("support/large-results.ts", import.meta.url).pathname;

test.each(["memory", "sqlite"])(
  "[S7] 400 calls with results of 7 MB complete in a heap of 256 MB with the store %s",
  async (kind) => {
    const folder = await mkdtemp(join(tmpdir(), "windlass-large-"));
    try {
      const args = ["--max-old-space-size=256", "--no-warnings", program, kind, join(folder, "journal.db")];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      expect(JSON.parse(stdout)).toMatchObject({
        succeeded: 400,
        totalCalls: 400,
        output: { $truncated: true, preview: expect.stringContaining("windlass") },
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  240_000,
);
