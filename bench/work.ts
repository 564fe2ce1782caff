import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allocatedBytes, heldBytes } from "./bytes.ts";
import type { Arguments, CallContender, LimitContender, RecordContender } from "./contender.ts";
import { loadContender } from "./load-contender.ts";

/** Work that can be repeated and measured. */
export interface Work {
  /** What one repetition counts as: calls, tasks, steps, … */
  readonly units: number;
  /** It mostly waits: one repetition is a sample, however little CPU time it takes. */
  readonly waits?: boolean;
  /** Gets ready what is not measured; the function it gives does the work. */
  prepare(repetitions: number): () => Promise<void> | void;
  /** Where bytes are counted. */
  bytes?(): Promise<number>;
}

const tasks = 10_000;
const recordsAtOnce = 20_000;

/** Single calls, one after the other. */
export async function callWork([file = "", answering = "", variant]: readonly string[]): Promise<Work> {
  const workload = await import("./contenders/workload.ts");
  const contender = await loadContender<CallContender>(file, answering, variant);
  const prepare = contender.prepare ?? ((args: Arguments) => args);
  // What `prepare` gives is what `call` takes.
  const call = contender.call as (given: unknown) => unknown;
  for (const args of workload.someArguments) {
    assert.deepEqual(contender.outputOf(await call(prepare(args))), workload.expected(args));
  }
  if (variant !== "unchecked") {
    const refuse = async (): Promise<unknown> => contender.outputOf(await call(prepare(workload.refused)));
    await assert.rejects(refuse, "a contender that is said to validate let bad arguments pass");
  }
  const given = workload.someArguments.map(prepare);
  // Who answers at once is not awaited: that would be a cost of the measurement.
  const repeat = call(given[0]) instanceof Promise ? repeatAwaited(call, given) : repeatPlain(call, given);
  return { units: 1, prepare: (repetitions) => () => repeat(repetitions), bytes: () => allocatedBytes(repeat) };
}

/** Kept, so that no optimiser may leave the work out. */
export let last: unknown;

function repeatPlain(call: (given: unknown) => unknown, given: readonly unknown[]) {
  return (times: number): void => {
    for (let index = 0; index < times; index++) last = call(given[index & 63]);
  };
}

function repeatAwaited(call: (given: unknown) => unknown, given: readonly unknown[]) {
  return async (times: number): Promise<void> => {
    for (let index = 0; index < times; index++) last = await call(given[index & 63]);
  };
}

/** 10,000 tasks handed over at once, ten of them running at a time. */
export async function limitWork([file = ""]: readonly string[]): Promise<Work> {
  const { limited } = await loadContender<LimitContender>(file);
  await checkLimit(limited);
  const batches = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      const all: Promise<unknown>[] = [];
      for (let at = 0; at < tasks; at++) all.push(limited(nothing));
      await Promise.all(all);
    }
  };
  return { units: tasks, prepare: (repetitions) => () => batches(repetitions), bytes: () => heldBytes(limited, tasks) };
}

async function nothing(): Promise<void> {}

/** Whoever is measured does limit: never more than ten at once, and every task runs. */
async function checkLimit(limited: LimitContender["limited"]): Promise<void> {
  let active = 0;
  let most = 0;
  let done = 0;
  const task = async (): Promise<void> => {
    active++;
    most = Math.max(most, active);
    await new Promise((resolve) => setImmediate(resolve));
    active--;
    done++;
  };
  await Promise.all(Array.from({ length: 100 }, () => limited(task)));
  assert.deepEqual({ most, done }, { most: 10, done: 100 });
}

/** Records written and on the disk, 20,000 at a time. */
export async function recordWork([file = "", variant]: readonly string[]): Promise<Work> {
  const { callRecords } = await import("./contenders/call-records.ts");
  const folder = mkdtempSync(join(tmpdir(), "windlass-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const contender = await loadContender<RecordContender>(file, folder, variant);
  await contender.prepare(callRecords(0, 100))();
  assert.equal(await contender.count(), 100);
  let made = 100;
  return {
    units: recordsAtOnce,
    prepare(repetitions) {
      const first = made;
      made += repetitions * recordsAtOnce;
      return contender.prepare(callRecords(first, made - first));
    },
  };
}
