import { formatDuration, cutDisplay, displayWidth, padDisplay } from "../../../text/index.ts";
import { formatNumber } from "../format-figures.ts";
import type { Style } from "../terminal.ts";
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
    ...(fitted.over === 0 ? [] : [paint([[`  … ${formatNumber(fitted.over)} more done`, "dim"]])]),
    ...fitted.rows.map((row) => paint(rowLine(row, layout, options))),
    ...hiddenBelow(fitted).map(paint),
    ...(foot ? [paint(footOf(run, options.now))] : []),
  ];
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

/** Widths of the columns of the tree. */
interface Layout {
  readonly label: number;
  /** 0 if there is no space for it. */
  readonly tool: number;
}

/** Time and frame of a drawing. */
interface Moment {
  /** In the clock of the rows. */
  readonly now: number;
  /** Counter of redraws, for the spinner. */
  readonly frame: number;
}

const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/** Column widths that fit these rows into a terminal of this width. */
function layoutOf(rows: Iterable<Row>, columns: number): Layout {
  let label = 0;
  let tool = 0;
  for (const row of rows) {
    label = Math.max(label, indentOf(row) + displayWidth(row.label));
    tool = Math.max(tool, displayWidth(row.tool));
  }
  return {
    label: Math.min(label, Math.max(12, Math.floor(columns * 0.35))),
    tool: columns < 50 ? 0 : Math.min(tool, Math.floor(columns * 0.22)),
  };
}

/** Formats one step as a line: its state, name, tool, duration and note. */
function rowLine(row: Row, layout: Layout, moment: Moment): StyledText[] {
  const { status } = row;
  const quiet = status === "pending" || status === "skipped";
  const label = padDisplay(cutEnd(row.label, layout.label - indentOf(row)), layout.label - indentOf(row));
  const tool = layout.tool === 0 ? "" : `${padDisplay(cutEnd(row.tool, layout.tool), layout.tool)}  `;
  const [mark, style] = markOf(row, moment);
  return [
    [" ".repeat(indentOf(row) + 2)],
    [mark, style],
    quiet ? [` ${label}  `, "dim"] : [` ${label}  `],
    [tool, "dim"],
    [durationOf(row, moment.now).padStart(9), "dim"],
    ["  "],
    [noteOf(row, moment.now), noteStyle(row)],
  ];
}

/** Steps nested too deep for a narrow terminal are not indented further. */
function indentOf({ depth }: Row): number {
  return Math.min(depth, 8) * 2;
}

function cutEnd(text: string, width: number): string {
  return displayWidth(text) <= width ? text : cutDisplay(text, Math.max(1, width));
}

function markOf({ status, retry }: Row, { frame, now }: Moment): readonly [mark: string, style: Style] {
  switch (status) {
    case "pending":
      return ["·", "dim"];
    case "running":
      return retry !== undefined && retry.at > now ? ["↻", "yellow"] : [spinner[frame % spinner.length] ?? "*", "cyan"];
    case "waiting":
      return ["‖", "yellow"];
    case "success":
      return ["✓", "green"];
    case "recovered":
      return ["✓", "yellow"];
    case "skipped":
      return ["–", "dim"];
    case "failed":
      return ["✗", "red"];
    case "cancelled":
      return ["✗", "yellow"];
    default:
      return status satisfies never;
  }
}

function durationOf({ status, startedAt, durationMs }: Row, now: number): string {
  if (status === "pending" || status === "skipped") return "";
  if (durationMs !== undefined) return formatDuration(durationMs);
  // Tenths of a second, so that the unit does not keep changing.
  const ms = Math.max(0, now - startedAt);
  return startedAt === 0 ? "" : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
}

/** Note of a row at this moment. */
function noteOf(row: Row, now: number): string {
  const { items, retry, note, before } = row;
  const parts: string[] = [];
  if (items !== undefined && (row.durationMs === undefined || items.failed > 0 || items.done < items.of)) {
    parts.push(`${items.done}/${items.of}${items.failed > 0 ? `, ${items.failed} failed` : ""}`);
  } else if (items !== undefined) {
    parts.push(`${items.of} items`);
  }
  if (retry !== undefined) parts.push(retryNote(retry, now));
  if (note !== "") parts.push(note);
  if (before && parts.length === 0) parts.push("done earlier");
  return parts.join("  ");
}

function retryNote({ at, attempt, reason }: NonNullable<Row["retry"]>, now: number): string {
  const left = at - now;
  return left > 0 ? `retry ${attempt} in ${(left / 1000).toFixed(1)} s: ${reason}` : `attempt ${attempt}: ${reason}`;
}

function noteStyle({ status, retry }: Row): Style {
  if (status === "failed") return "red";
  return status === "waiting" || retry !== undefined ? "yellow" : "dim";
}

/** A piece of a line with its style. */
export type StyledText = readonly [text: string, style?: Style];

/** Paints the pieces of a line, cut to a width: omitted text is never painted. */
export function paintSpans(
  spans: readonly StyledText[],
  width: number,
  tint: (style: Style, text: string) => string = (_style, text) => text,
): string {
  let line = "";
  let room = width;
  const last = spans.findLastIndex(([text]) => text.trimEnd() !== "");
  for (const [text, style] of spans.slice(0, last + 1)) {
    const cut = cutDisplay(text, room);
    if (cut !== "") line += style === undefined ? cut : tint(style, cut);
    room -= displayWidth(cut);
    if (cut !== text || room <= 0) break;
  }
  return line;
}
