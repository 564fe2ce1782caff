import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeEach, expect } from "vitest";
import { type Attempt, attemptsVariable, namedBy } from "./guard-network.ts";

/**
 * Runs before the tests of every file: no test, and no process that one starts, reaches anything but loopback. An
 * attempt fails, and fails the file, even if the test ignores the error.
 */
const file = join(tmpdir(), `windlass-attempts-${process.pid}-${process.hrtime.bigint()}`);
process.env[attemptsVariable] = file;
process.env["NODE_OPTIONS"] = `--import=${pathToFileURL(join(import.meta.dirname, "guard-network.ts")).href}`;

const running = new Set<string>();
namedBy(() => (running.size === 0 ? "between tests" : [...running].join(", or ")));

beforeEach(({ task }) => {
  running.add(`"${task.name}"`);
});

afterEach(({ task }) => {
  running.delete(`"${task.name}"`);
});

afterAll(() => {
  if (!existsSync(file)) return;
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  rmSync(file);
  // Written by the guard.
  const attempts = lines.map((line) => JSON.parse(line) as Attempt);
  const reported = new Set(attempts.map(({ address, who }) => `${address}: ${who}`));
  expect.fail(`tests reach loopback only, but these were tried:\n${[...reported].join("\n")}`);
});
