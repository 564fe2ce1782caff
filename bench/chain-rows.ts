import { fanoutSizes } from "./chain-catalog.ts";
import type { Measured } from "./measure.ts";
import { packageVersion } from "./package-version.ts";
import { recordRowsOf } from "./record-rows.ts";
import type { Cost, DurableRow, FanoutRow, WaitRow } from "./results.ts";
import { ratioOf, spreadOf } from "./statistics.ts";

/**
 * Combines the measurements of the same contenders with few steps and with many; the first contender is the baseline.
 */
export function fanoutRowsOf(small: readonly Measured[], large: readonly Measured[]): FanoutRow[] {
  return small.flatMap((one) => {
    const same = large.find(({ entry }) => entry === one.entry);
    if (same === undefined) return [];
    return {
      id: one.entry.id,
      ...packageVersion(one.entry.package),
      small: costOf(one, cpuMs(one, fanoutSizes.small), cpuMs(small[0], fanoutSizes.small)),
      large: costOf(same, cpuMs(same, fanoutSizes.large), cpuMs(large[0], fanoutSizes.large)),
    };
  });
}

/** Elapsed times, relative to `minMs`, the lower bound. */
export function waitRowsOf(measured: readonly Measured[], minMs: number): WaitRow[] {
  return measured.map((one) => {
    const wall = one.samples.map(({ wallUs }) => wallUs / 1000);
    const min = wall.map(() => minMs);
    return {
      id: one.entry.id,
      ...packageVersion(one.entry.package),
      wall: costOf(one, wall, min),
      ...(one.samples.length > 0 && { cpuMs: spreadOf(cpuMs(one, 1)) }),
    };
  });
}

/** Throughput of many runs, and the duration of a step in a run that has the disk to itself. */
export function durableRowsOf(many: readonly Measured[], alone: readonly Measured[]): DurableRow[] {
  return recordRowsOf(many).flatMap((row) => {
    const same = alone.find(({ entry }) => entry.id === row.id);
    if (same === undefined) return [];
    return { ...row, aloneMs: spreadOf(same.samples.map(({ wallUs, units }) => wallUs / units / 1000)) };
  });
}

function costOf({ once, overMs }: Measured, ms: readonly number[], beside: readonly number[]): Cost {
  if (overMs !== undefined) return { overMs };
  // A single sample took as long as many samples of the baseline, so it is compared with their median.
  const floor = once ? ms.map(() => spreadOf(beside).median) : beside;
  return { ms: spreadOf(ms), ratio: ratioOf(ms, floor), ...(once && { once }) };
}

/** CPU time of `count` units, in milliseconds. */
function cpuMs(one: Measured | undefined, count: number): number[] {
  return (one?.samples ?? []).map(({ cpuUs, units }) => ((cpuUs / units) * count) / 1000);
}
