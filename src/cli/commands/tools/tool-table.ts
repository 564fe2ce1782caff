import { displayWidth } from "../../../text/index.ts";
import type { AnyTool, Registration } from "../../../tool/index.ts";
import { formatTable, toOneLine } from "../../terminal/format-table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { effectLabel } from "../../../tool/index.ts";

/**
 * Formats tools as lines with name, effect, category and description; a narrow terminal omits columns, but each tool
 * stays on one line.
 */
export function toolTable(tools: readonly Registration[], side: Pick<Terminal, "columns" | "paint">): string[] {
  const rows = tools.map(({ tool }) => [tool.name, effectLabel(tool), tool.category, describe(tool)]);
  const columns = [
    { title: "NAME", paint: (cell: string) => side.paint("bold", cell) },
    { title: "EFFECT" },
    { title: "CATEGORY" },
    { title: "DESCRIPTION", long: "cut" as const },
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

/** Minimum width of the description. */
const minWords = 12;

/** Columns that fit: name and description have priority, then effect and category. */
function fitting(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): readonly number[] {
  const widest = (at: number): number => Math.max(0, ...rows.map((row) => displayWidth(row[at] ?? "")));
  const needs = (columns: readonly number[]): number =>
    columns.reduce((sum, at) => sum + 2 + (at === 3 ? minWords : widest(at)), -2);
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

/** First sentence of a description, for lists; `tools show` prints all of it. */
function firstSentence(text: string): string {
  return /^.*?(?:[.!?](?=\s)|[。！？]|$)/su.exec(toOneLine(text))?.[0] ?? text;
}
