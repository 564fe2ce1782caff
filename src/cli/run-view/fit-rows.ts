import { type Row, isOver } from "./run-rows.ts";

/** The rows that are shown, and how many are not. */
export interface FittedRows {
  readonly rows: readonly Row[];
  /** Over, and left out. */
  readonly over: number;
  /** Still to come. */
  readonly pending: number;
  /** At work or waiting, for whom there was no room. */
  readonly active: number;
}

/**
 * Rows for a screen of this height, in their order. Where there is not room for all, what goes on is shown first, then
 * what went wrong; the rest is shared between what was last over and what comes next.
 */
export function fitRows(rows: readonly Row[], height: number): FittedRows {
  if (rows.length <= height) return { rows, over: 0, pending: 0, active: 0 };
  const active = rows.filter(({ status }) => status === "running" || status === "waiting");
  const wrong = rows.filter(({ status }) => status === "failed" || status === "cancelled" || status === "recovered");
  const well = rows.filter(({ status }) => status === "success" || status === "skipped");
  const pending = rows.filter(({ status }) => status === "pending");

  // A line tells what is left out above, another what is left out below.
  let room = Math.max(1, height - 2);
  const shown = new Set<Row>();
  const take = (some: readonly Row[]): void => {
    for (const row of some) shown.add(row);
    room -= some.length;
  };
  take(active.slice(0, room));
  take(lastOf(wrong, room));
  const ahead = Math.min(pending.length, Math.max(Math.ceil(room / 2), room - well.length));
  take(pending.slice(0, ahead));
  take(lastOf(well, room));

  const hidden = rows.filter((row) => !shown.has(row));
  const over = hidden.filter(({ status }) => isOver(status)).length;
  const toCome = hidden.filter(({ status }) => status === "pending").length;
  return {
    rows: rows.filter((row) => shown.has(row)),
    over,
    pending: toCome,
    active: hidden.length - over - toCome,
  };
}

function lastOf(rows: readonly Row[], count: number): readonly Row[] {
  return count <= 0 ? [] : rows.slice(-count);
}
