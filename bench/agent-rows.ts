import { type Measured, rowsOf } from "./measure.ts";
import type { AgentCosts, AgentRow, Row } from "./results.ts";

/** Measurements of the same contenders with few turns and with many. */
interface Lengths {
  readonly few: readonly Measured[];
  readonly many: readonly Measured[];
}

/** Returns the rows of the contenders that could be measured in all sizes. */
export function agentRowsOf(one: Lengths, eight: Lengths): AgentRow[] {
  const [oneFew, oneMany, eightFew, eightMany] = [one.few, one.many, eight.few, eight.many].map(rowsOf);
  return (oneFew ?? []).flatMap((row) => {
    const single = costsOf(row, oneMany);
    const several = costsOf(eightFew?.find(isOf(row)), eightMany);
    if (single === undefined || several === undefined) return [];
    const { id, version } = row;
    return { id, ...(version !== undefined && { version }), one: single, eight: several };
  });
}

function costsOf(few: Row | undefined, rows: readonly Row[] | undefined): AgentCosts | undefined {
  const many = few && rows?.find(isOf(few));
  if (few === undefined || many === undefined) return undefined;
  return { few: { cpuUs: few.cpuUs, ratio: few.ratio }, many: { cpuUs: many.cpuUs, ratio: many.ratio } };
}

function isOf({ id }: Row) {
  return (row: Row): boolean => row.id === id;
}
