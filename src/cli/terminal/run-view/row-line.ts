import { cutDisplay, displayWidth, formatDuration, padDisplay } from "../../../text/index.ts";
import type { Style } from "../terminal.ts";
import type { StyledText } from "./paint-spans.ts";
import type { Row } from "./run-rows.ts";

/** Widths of the columns of the tree. */
export interface Layout {
  readonly label: number;
  /** 0 if there is no space for it. */
  readonly tool: number;
}

/** Time and frame of a drawing. */
export interface Moment {
  /** In the clock of the rows. */
  readonly now: number;
  /** Counter of redraws, for the spinner. */
  readonly frame: number;
}

const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/** Column widths that fit these rows into a terminal of this width. */
export function layoutOf(rows: Iterable<Row>, columns: number): Layout {
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
export function rowLine(row: Row, layout: Layout, moment: Moment): StyledText[] {
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
export function noteOf(row: Row, now: number): string {
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
