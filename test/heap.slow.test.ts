import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = new URL("support/heap-program.ts", import.meta.url).pathname;

interface Measured {
  readonly before: number;
  readonly after: number;
  readonly currentConcurrent: number;
  readonly queueLength: number;
}

/** The heap after few and after many calls, in a separate process; the ring of records is full after few. */
async function measure(variant: string, few: number, many: number): Promise<Measured> {
  const args = ["--expose-gc", "--no-warnings", program, variant, String(few), String(many)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Measured;
}

const megabytes = (bytes: number): number => bytes / 1024 / 1024;

test.each([
  ["successes", 1000, 100_000],
  ["failures", 1000, 100_000],
  ["subscriber", 1000, 100_000],
  ["signal", 1000, 100_000],
  ["queued", 1000, 100_000],
  ["nested", 1000, 40_000],
  ["cached", 1000, 40_000],
  // Fifty calls per round.
  ["timeouts", 20, 120],
])("%s: the heap after many calls is within 4 MB of that after few", async (variant, few, many) => {
  const { before, after, currentConcurrent, queueLength } = await measure(variant, few, many);
  expect(megabytes(after - before)).toBeLessThan(4);
  expect(currentConcurrent).toBe(variant === "queued" ? 1 : 0);
  expect(queueLength).toBe(0);
});
