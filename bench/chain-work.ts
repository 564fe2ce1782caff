import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChainContender, DagContender, DurableContender } from "./contender.ts";
import { loadContender } from "./load-contender.ts";
import type { Work } from "./work.ts";

const inARow = 100;

/** Sequential steps, each of which receives the output of the previous one. */
export async function sequenceWork([file = "", variant]: readonly string[]): Promise<Work> {
  const { searchTool } = await import("./contenders/chain-workload.ts");
  const contender = await loadContender<ChainContender>(file, { tool: searchTool, steps: inARow }, variant);
  await refusesBadValues(contender);
  return { units: inARow, prepare: (repetitions) => () => repeat(contender, repetitions, (value) => value + inARow) };
}

/** Parallel steps, and one step that joins them. */
export async function fanoutWork([file = "", size = "", variant]: readonly string[]): Promise<Work> {
  const steps = Number(size);
  await refusesBadValues(await loadContender<ChainContender>(file, { steps: 10 }, variant));
  const contender = await loadContender<ChainContender>(file, { steps }, variant);
  const expected = (value: number): number => (value + 1) * steps;
  return { units: steps, prepare: (repetitions) => () => repeat(contender, repetitions, expected) };
}

/** Checks the output of every repetition: this costs almost nothing, and ensures that no contender skips work. */
async function repeat(
  { run }: ChainContender,
  repetitions: number,
  expected: (value: number) => number,
): Promise<void> {
  for (let index = 0; index < repetitions; index++) {
    const value = index & 63;
    const output = await run(value);
    if (output !== expected(value)) throw new Error(`expected ${expected(value)}, got ${String(output)}`);
  }
}

async function refusesBadValues({ run }: ChainContender): Promise<void> {
  const { refused } = await import("./contenders/chain-workload.ts");
  const refuse = async (): Promise<unknown> => run(refused);
  await assert.rejects(refuse, "a contender that is listed as validating accepted a bad value");
}

const chainsAtOnce = 1000;

/** Concurrent chains whose steps wait. */
export async function concurrentWork([file = "", variant]: readonly string[]): Promise<Work> {
  const { pauseTool, pauses } = await import("./contenders/chain-workload.ts");
  const { run } = await loadContender<ChainContender>(file, { tool: pauseTool, steps: pauses }, variant);
  await refusesBadValues({ run });
  const values = Array.from({ length: chainsAtOnce }, (_, index) => index);
  const once = async (): Promise<void> => {
    const outputs = await Promise.all(values.map((value) => run(value)));
    if (outputs.some((output, index) => output !== index + pauses)) throw new Error("a chain returned a wrong value");
  };
  return { units: 1, waits: true, prepare: () => once };
}

/** A few graphs of waiting steps, one graph after the other. */
export async function dagWork([file = "", variant]: readonly string[]): Promise<Work> {
  const { dags, valuesOf } = await import("./contenders/dag-workload.ts");
  const all = await Promise.all(
    dags.map(async (dag) => ({
      contender: await loadContender<DagContender>(file, dag, variant),
      expected: valuesOf(dag.steps),
    })),
  );
  const once = async (): Promise<void> => {
    for (const { contender, expected } of all) assert.deepEqual(await contender.run(), expected);
  };
  return { units: 1, waits: true, prepare: () => once };
}

const stepsOfRun = 20;
/** Number of concurrent runs, and number of repetitions. */
const durableModes: Readonly<Record<string, { runs: number; times: number }>> = {
  many: { runs: 500, times: 1 },
  alone: { runs: 1, times: 5 },
};

/** Writing steps: the start of a step is on disk before it runs, and its outcome before the next step starts. */
export async function durableWork([file = "", mode = "", variant]: readonly string[]): Promise<Work> {
  const how = durableModes[mode];
  if (how === undefined) throw new Error(`unknown mode "${mode}"`);
  const folder = mkdtempSync(join(tmpdir(), "windlass-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const contender = await loadContender<DurableContender>(file, folder, stepsOfRun, variant);
  assert.deepEqual(await contender.run(3), [stepsOfRun, stepsOfRun, stepsOfRun]);
  assert.equal(await contender.steps(), 3 * stepsOfRun);
  const batch = async (): Promise<void> => {
    for (let index = 0; index < how.times; index++) {
      const outputs = await contender.run(how.runs);
      if (outputs.length !== how.runs || outputs.some((output) => output !== stepsOfRun)) {
        throw new Error("a run returned a wrong value");
      }
    }
  };
  return { units: how.runs * how.times * stepsOfRun, waits: true, prepare: () => batch };
}
