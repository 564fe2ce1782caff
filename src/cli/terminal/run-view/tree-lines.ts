import { formatDuration } from "../../../text/index.ts";
import { formatNumber } from "../format-figures.ts";
import type { Style } from "../terminal.ts";
import { type StyledText, paintSpans } from "./paint-spans.ts";
import { type Moment, layoutOf, rowLine } from "./row-line.ts";
import { type RunRows, type Row, isStepFinished } from "./run-rows.ts";

/** Options for drawing the tree. */
export interface TreeOptions extends Moment {
  readonly columns: number;
  /** Maximum number of lines. */
  readonly height: number;
  readonly tint: (style: Style, text: string) => string;
  /** Show the progress of the run below the rows; false once it has ended. */
  readonly foot: boolean;
}

/** Formats the tree of a run as lines that fit the terminal. */
export function treeLines(run: RunRows, options: TreeOptions): string[] {
  const { columns, height, tint, foot } = options;
  // The last column stays free: some terminals wrap a line that fills it.
  const paint = (spans: readonly StyledText[]): string => paintSpans(spans, columns - 1, tint);
  const all = [...run.all()];
  const fitted = fitRows(all, Math.max(3, height - 1 - (foot ? 1 : 0)));
  const layout = layoutOf(fitted.rows, columns);
  return [
    paint([[run.chain, "bold"], ["  "], [run.runId, "dim"]]),
    ...hiddenAbove(fitted).map(paint),
    ...fitted.rows.map((row) => paint(rowLine(row, layout, options))),
    ...hiddenBelow(fitted).map(paint),
    ...(foot ? [paint(footOf(run, options.now))] : []),
  ];
}

function hiddenAbove({ over }: FittedRows): StyledText[][] {
  return over === 0 ? [] : [[[`  … ${formatNumber(over)} more done`, "dim"]]];
}

function hiddenBelow({ pending, active }: FittedRows): StyledText[][] {
  const parts = [
    ...(active > 0 ? [`${formatNumber(active)} more running`] : []),
    ...(pending > 0 ? [`${formatNumber(pending)} more pending`] : []),
  ];
  return parts.length === 0 ? [] : [[[`  … ${parts.join(", ")}`, "dim"]]];
}

function footOf(run: RunRows, now: number): StyledText[] {
  const { total, over } = run.counts();
  const ms = Math.max(0, now - run.startedAt);
  const time = ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
  return [[`  ${formatNumber(over)} of ${formatNumber(total)} steps, ${time}`, "dim"]];
}

/** The rows that are shown, and the numbers of omitted ones. */
interface FittedRows {
  readonly rows: readonly Row[];
  /** Omitted rows that have ended. */
  readonly over: number;
  /** Omitted rows that have not started. */
  readonly pending: number;
  /** Omitted rows that are running or waiting. */
  readonly active: number;
}

/**
 * Selects rows for a screen of this height, in their order. If not all fit, running rows come first, then failed ones;
 * the rest is shared between the latest finished and the next pending ones.
 */
function fitRows(rows: readonly Row[], height: number): FittedRows {
  if (rows.length <= height) return { rows, over: 0, pending: 0, active: 0 };
  const active = rows.filter(({ status }) => status === "running" || status === "waiting");
  const wrong = rows.filter(({ status }) => status === "failed" || status === "cancelled" || status === "recovered");
  const well = rows.filter(({ status }) => status === "success" || status === "skipped");
  const pending = rows.filter(({ status }) => status === "pending");

  // One line counts the rows omitted above, another those omitted below.
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
  const over = hidden.filter(({ status }) => isStepFinished(status)).length;
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
