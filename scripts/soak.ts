/**
 * Tests that take longer than CI allows: `npm run soak -- NAME --minutes N`. Repeats the tests of one subject with a new
 * seed in each round until the time is up, and adds a row to docs/soak.md.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

interface Soak {
  readonly about: string;
  readonly files: string;
  readonly env?: Readonly<Record<string, string>>;
}

const soaks: Readonly<Record<string, Soak>> = {
  kills: {
    about: "chains, agents and durable calls whose process is killed with SIGKILL at random times, 300 kills per round",
    files: "test/crash/runs",
    env: { WINDLASS_KILLS: "300" },
  },
  "kill-agents": {
    about: "agents of every runner whose process is killed with SIGKILL at random times",
    files: "test/crash/agents",
    env: { WINDLASS_KILLS: "120" },
  },
  load: {
    about: "mixed requests to `windlass serve` for a minute, whose process is killed with SIGKILL every few seconds",
    files: "test/load",
  },
  "model-faults": {
    about: "200 conversations per round with a model server that injects faults",
    files: "test/agents/faults",
  },
  "mcp-servers": {
    about: "1,000 calls per round over four MCP servers, one of which is killed every second",
    files: "test/mcp/source",
  },
  "event-readers": {
    about: "10,000 connections that read live events of one server",
    files: "test/server/events/connections",
    env: { WINDLASS_CONNECTIONS: "10000" },
  },
};

const page = "docs/soak.md";
const report = join(tmpdir(), `windlass-soak-${process.pid}.json`);

function usage(): never {
  const lines = Object.entries(soaks).map(([name, { about }]) => `  ${name.padEnd(14)} ${about}`);
  console.error(`usage: npm run soak -- NAME --minutes N\n\n${lines.join("\n")}`);
  process.exit(2);
}

function readArguments(): { readonly name: string; readonly soak: Soak; readonly minutes: number } {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { minutes: { type: "string" } } });
  const [name = ""] = positionals;
  const soak = Object.hasOwn(soaks, name) ? soaks[name] : undefined;
  const minutes = Number(values.minutes ?? 10);
  if (soak === undefined || positionals.length !== 1 || !(minutes > 0)) usage();
  return { name, soak, minutes };
}

async function readCounts(): Promise<{ readonly passed: number; readonly failed: number }> {
  const text = await readFile(report, "utf8").catch(() => undefined);
  await rm(report, { force: true });
  // If there is no report, vitest itself failed.
  if (text === undefined) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, success } = JSON.parse(text) as Record<string, number | boolean>;
  return { passed: Number(numPassedTests), failed: Math.max(Number(numFailedTests), success === true ? 0 : 1) };
}

async function addRow(row: string): Promise<void> {
  const text = await readFile(page, "utf8");
  const head = /^\| --- .*\n/m.exec(text);
  if (head === null) throw new Error(`${page} has no table`);
  const at = head.index + head[0].length;
  await writeFile(page, `${text.slice(0, at)}${row}\n${text.slice(at)}`);
}

const { name, soak, minutes } = readArguments();
const started = Date.now();
const firstSeed = Math.floor(started / 1000) % 1_000_000;
let rounds = 0;
let passed = 0;
let failed = 0;
while (Date.now() - started < minutes * 60_000 && failed === 0) {
  const seed = String(firstSeed + rounds);
  const env = { ...process.env, ...soak.env, WINDLASS_SEED: seed };
  const args = ["run", soak.files, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  console.log(`round ${rounds + 1}, seed ${seed}`);
  spawnSync("vitest", args, { env, stdio: "inherit" });
  const counts = await readCounts();
  rounds++;
  passed += counts.passed;
  failed += counts.failed;
}
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
const took = Math.round((Date.now() - started) / 60_000);
const verdict = failed === 0 ? "0" : `${failed} (seed ${firstSeed + rounds - 1})`;
const day = new Date().toISOString().slice(0, 10);
await addRow(`| ${day} | ${name} | ${took} | ${rounds} | ${passed} | ${verdict} | ${commit} |`);
process.exitCode = failed === 0 ? 0 : 1;
