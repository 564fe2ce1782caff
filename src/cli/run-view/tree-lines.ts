import { formatDuration } from "../../text/index.ts";
import { formatNumber } from "../format-figures.ts";
import type { Style } from "../terminal.ts";
import { type FittedRows, fitRows } from "./fit-rows.ts";
import { type Span, paintSpans } from "./paint-spans.ts";
import { type Moment, layoutOf, rowLine } from "./row-line.ts";
import type { RunRows } from "./run-rows.ts";

/** How the tree is drawn. */
export interface TreeOptions extends Moment {
  readonly columns: number;
  /** The most lines it may have. */
  readonly height: number;
  readonly tint: (style: Style, text: string) => string;
  /** Behind the rows: how far the run is. Left out once it is over. */
  readonly foot: boolean;
}

/** The tree of a run as lines that fit the terminal. */
export function treeLines(run: RunRows, options: TreeOptions): string[] {
  const { columns, height, tint, foot } = options;
  // The last column stays free: some terminals break a line that fills it.
  const paint = (spans: readonly Span[]): string => paintSpans(spans, columns - 1, tint);
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

function hiddenAbove({ over }: FittedRows): Span[][] {
  return over === 0 ? [] : [[[`  … ${formatNumber(over)} more over`, "dim"]]];
}

function hiddenBelow({ pending, active }: FittedRows): Span[][] {
  const parts = [
    ...(active > 0 ? [`${formatNumber(active)} more at work`] : []),
    ...(pending > 0 ? [`${formatNumber(pending)} more to come`] : []),
  ];
  return parts.length === 0 ? [] : [[[`  … ${parts.join(", ")}`, "dim"]]];
}

function footOf(run: RunRows, now: number): Span[] {
  const { total, over } = run.counts();
  const ms = Math.max(0, now - run.startedAt);
  const time = ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
  return [[`  ${formatNumber(over)} of ${formatNumber(total)} steps, ${time}`, "dim"]];
}
