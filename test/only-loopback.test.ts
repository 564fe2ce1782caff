import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { folderWith } from "./support/workspace.ts";

// A whole separate test run.
vi.setConfig({ testTimeout: 60_000 });

interface Report {
  readonly numFailedTests: number;
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly status: string; readonly message: string }[];
}

test("a test that connects to anything but loopback fails its file, with the address and the test's name", async () => {
  const report = join(await folderWith({}), "report.json");
  const words = ["run", "--config", resolve("test/fixtures/reaching-out/vitest.config.ts"), `--outputFile=${report}`];
  const vitest = resolve("node_modules/vitest/vitest.mjs");
  // The guard comes with the run itself, not from this one.
  const run = promisify(execFile)(process.execPath, [vitest, ...words], { env: { ...process.env, NODE_OPTIONS: "" } });
  await expect(run).rejects.toMatchObject({ code: 1 });

  // Written by Vitest.
  const { testResults, ...counts } = JSON.parse(await readFile(report, "utf8")) as Report;
  expect(counts).toMatchObject({ numFailedTests: 0, numPassedTests: 10 });
  expect(testResults).toMatchObject([{ status: "failed" }]);
  expect(testResults[0]?.message.split("\n")).toEqual([
    "tests reach loopback only, but these were tried:",
    '192.0.2.1:80: "a socket"',
    '2001:db8::1:443: "TLS"',
    '192.0.2.2:80: "fetch"',
    '192.0.2.3:81: "a name that somebody answers for"',
    'the name a.example (lookup): "names"',
    'the name b.example (resolve4): "names"',
    'the name c.example (lookup): "names"',
    '192.0.2.4 by UDP: "a datagram"',
    '192.0.2.5:80: the process ""',
    '192.0.2.6:80: the process ""',
  ]);
});
