import { displayWidth } from "../text/index.ts";
import type { AnyTool, Registration } from "../tool/index.ts";
import { formatTable, oneLine } from "./format-table.ts";
import type { Terminal } from "./terminal.ts";
import { effectOf } from "./wire-tool.ts";

/** Tools as lines: name, effect, category, what they do; on a narrow terminal not all of it, but each on one line. */
export function toolTable(tools: readonly Registration[], side: Pick<Terminal, "columns" | "paint">): string[] {
  const rows = tools.map(({ tool }) => [tool.name, effectOf(tool), tool.category, describe(tool)]);
  const columns = [
    { title: "NAME", paint: (cell: string) => side.paint("bold", cell) },
    { title: "EFFECT" },
    { title: "CATEGORY" },
    { title: "WHAT IT DOES", long: "cut" as const },
  ];
  const shown = fitting(rows, side.columns);
  return formatTable(
    rows.map((row) => shown.map((at) => row[at] ?? "")),
    {
      width: side.columns,
      paintTitle: (title) => side.paint("dim", title),
      columns: columns.filter((_column, at) => shown.includes(at)),
    },
  );
}

/** Less of what a tool does would say nothing. */
const leastWords = 12;

/** The columns for which there is room: what it is called and does comes before its kind. */
function fitting(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): readonly number[] {
  const widest = (at: number): number => Math.max(0, ...rows.map((row) => displayWidth(row[at] ?? "")));
  const needs = (columns: readonly number[]): number =>
    columns.reduce((sum, at) => sum + 2 + (at === 3 ? leastWords : widest(at)), -2);
  return (
    [
      [0, 1, 2, 3],
      [0, 1, 3],
      [0, 3],
    ].find((columns) => needs(columns) <= width) ?? [0]
  );
}

function describe({ description, status, broken, gated }: AnyTool): string {
  if (broken !== undefined) return `[broken] ${broken.message}`;
  const marks = [...(status === "active" ? [] : [status]), ...(gated ? ["gated"] : [])];
  return [...(marks.length === 0 ? [] : [`[${marks.join(", ")}]`]), firstSentence(description)].join(" ");
}

/** Enough for a list; `tools show` has the rest. */
function firstSentence(text: string): string {
  return /^.*?(?:[.!?](?=\s)|[。！？]|$)/su.exec(oneLine(text))?.[0] ?? text;
}
