import type { LimitContender } from "./contender.ts";

/** Number of measurements of a figure, of which the median is used. */
const times = 5;

/**
 * Returns the bytes that one repetition allocates. Requires a young generation so large that no garbage is collected in
 * the meantime (`--min-semi-space-size`), so that the growth of the heap equals the allocations.
 */
export async function allocatedBytes(repeat: (times: number) => Promise<void> | void): Promise<number> {
  const calls = 5000;
  await repeat(calls * 10);
  const figures: number[] = [];
  for (let index = 0; index < times; index++) {
    collect();
    const before = process.memoryUsage().heapUsed;
    await repeat(calls);
    figures.push((process.memoryUsage().heapUsed - before) / calls);
  }
  return median(figures);
}

/**
 * Returns the bytes that one queued task holds: all tasks are started, ten run, and the rest wait until the gate opens.
 */
export async function heldBytes(limited: LimitContender["limited"], tasks: number): Promise<number> {
  const figures: number[] = [];
  for (let index = 0; index < times; index++) {
    const gate = Promise.withResolvers<void>();
    const task = (): Promise<void> => gate.promise;
    const all: Promise<unknown>[] = Array.from({ length: tasks });
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < tasks; at++) all[at] = limited(task);
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    figures.push((process.memoryUsage().heapUsed - before) / tasks);
    gate.resolve();
    await Promise.all(all);
  }
  return median(figures);
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? Number.NaN;
}

function collect(): void {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc");
  globalThis.gc();
}
