import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allocatedBytes, heldBytes } from "./bytes.ts";
import type { Arguments, CallContender, LimitContender, RecordContender } from "./contender.ts";
import { loadContender } from "./load-contender.ts";

/** Work that can be repeated and measured. */
export interface Work {
  /** Units of one repetition: calls, tasks, steps, … */
  readonly units: number;
  /** True if the work mostly waits: one repetition is a sample, regardless of its CPU time. */
  readonly waits?: boolean;
  /** Does the unmeasured preparation; the returned function does the work. */
  prepare(repetitions: number): () => Promise<void> | void;
  /** Counts bytes, if the work supports it. */
  bytes?(): Promise<number>;
}

const tasks = 10_000;
const recordsAtOnce = 20_000;

/** Single calls, one after the other. */
export async function callWork([file = "", answering = "", variant]: readonly string[]): Promise<Work> {
  const workload = await import("./contenders/workload.ts");
  const contender = await loadContender<CallContender>(file, answering, variant);
  const prepare = contender.prepare ?? ((args: Arguments) => args);
  // `call` accepts the values that `prepare` returns.
  const call = contender.call as (input: unknown) => unknown;
  for (const args of workload.someArguments) {
    assert.deepEqual(contender.outputOf(await call(prepare(args))), workload.expected(args));
  }
  if (variant !== "unchecked") {
    const refuse = async (): Promise<unknown> => contender.outputOf(await call(prepare(workload.refused)));
    await assert.rejects(refuse, "a contender that is listed as validating accepted bad arguments");
  }
  const input = workload.someArguments.map(prepare);
  // A contender that returns synchronously is not awaited, because awaiting would add a cost of the measurement.
  const repeat = call(input[0]) instanceof Promise ? repeatAwaited(call, input) : repeatPlain(call, input);
  return { units: 1, prepare: (repetitions) => () => repeat(repetitions), bytes: () => allocatedBytes(repeat) };
}

/** Holds the last result, so that the optimizer cannot remove the work. */
export let last: unknown;

function repeatPlain(call: (input: unknown) => unknown, input: readonly unknown[]) {
  return (times: number): void => {
    for (let index = 0; index < times; index++) last = call(input[index & 63]);
  };
}

function repeatAwaited(call: (input: unknown) => unknown, input: readonly unknown[]) {
  return async (times: number): Promise<void> => {
    for (let index = 0; index < times; index++) last = await call(input[index & 63]);
  };
}

/** 10,000 tasks submitted at once, ten of them running at a time. */
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

/** Checks that the contender limits concurrency: at most ten tasks run at a time, and every task runs. */
async function checkLimit(limited: LimitContender["limited"]): Promise<void> {
  let active = 0;
  let max = 0;
  let done = 0;
  const task = async (): Promise<void> => {
    active++;
    max = Math.max(max, active);
    await new Promise((resolve) => setImmediate(resolve));
    active--;
    done++;
  };
  await Promise.all(Array.from({ length: 100 }, () => limited(task)));
  assert.deepEqual({ max, done }, { max: 10, done: 100 });
}

/** Records that are written to disk, 20,000 at a time. */
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
