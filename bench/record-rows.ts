import { type Measured, rowsOf } from "./measure.ts";
import type { RecordRow } from "./results.ts";
import { spreadOf } from "./statistics.ts";

/** Throughput by elapsed time, until the last record is on disk. */
export function recordRowsOf(measured: readonly Measured[]): RecordRow[] {
  return rowsOf(measured).map((row, index) => {
    const samples = measured[index]?.samples ?? [];
    return {
      ...row,
      perSecond: spreadOf(samples.map(({ units, wallUs }) => (units / wallUs) * 1e6)),
      mainShare: spreadOf(samples.map(({ cpuUs, wallUs }) => cpuUs / wallUs)).median,
    };
  });
}
