/**
 * A chain from its file to its log: parallel steps, a retried step and a skipped step. It checks every result and fails
 * if one is wrong.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { styleText } from "node:util";

const bold = (words: string): string => styleText("bold", words);
const dim = (words: string): string => styleText("dim", words);
const root = join(import.meta.dirname, "..");

/** The part of an execution log that is used here. */
interface Log {
  readonly chain_id: string;
  readonly success: boolean;
  readonly output: { readonly notice: string; readonly ships: number; readonly warned: boolean };
  readonly steps: readonly { readonly id: string; readonly status: string; readonly attempts?: number }[];
  readonly metrics: { readonly parallel_speedup: number };
}

console.log(`\n${bold("Windlass")} runs ${bold("examples/harbour/chains/morning-report.yaml")}\n`);

const words = ["run", "-C", "examples/harbour", "morning-report", "-i", "harbour=Hoorn", "--json"];
// The live tree is printed to the output of this program; the log is read from the pipe.
const run = spawn(process.execPath, [join(root, "dist/bin.js"), ...words], { cwd: root, stdio: ["ignore", "pipe", 1] });
assert(run.stdout);
const [printed, [code]] = await Promise.all([text(run.stdout), once(run, "close")]);
assert.equal(code, 0);
// With --json the command prints an execution log.
const log = JSON.parse(printed) as Log;

console.log(`\n${log.output.notice}\n`);

const step = (id: string): Log["steps"][number] | undefined => log.steps.find((found) => found.id === id);
assert(log.success);
assert.equal(log.output.notice, "Hoorn, clear\n- Adelaar: inner quay\n- Zeemeeuw: outer mole\n- 海鸥: inner quay");
assert.deepEqual([log.output.ships, log.output.warned], [3, false]);
assert.equal(step("weather")?.attempts, 2);
assert.equal(step("warning")?.status, "skipped");
assert(log.metrics.parallel_speedup > 1);

console.log(`${dim("The weather request was retried once, and the storm warning was skipped. Now try:")}\n`);
for (const command of [
  `explain -C examples/harbour ${log.chain_id} warning`,
  "graph -C examples/harbour morning-report",
  "init my-workspace",
]) {
  console.log(`  npm run -s windlass -- ${command}`);
}
