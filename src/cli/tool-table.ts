import type { AnyTool, Registration } from "../tool/index.ts";
import { formatTable, oneLine } from "./format-table.ts";
import type { Terminal } from "./terminal.ts";
import { effectOf } from "./wire-tool.ts";

/** Tools as lines: name, effect, category, what they do. */
export function toolTable(tools: readonly Registration[], terminal: Terminal): string[] {
  const rows = tools.map(({ tool }) => [tool.name, effectOf(tool), tool.category, describe(tool)]);
  return formatTable(rows, {
    width: terminal.columns,
    paintTitle: (title) => terminal.paint("dim", title),
    columns: [
      { title: "NAME", paint: (cell) => terminal.paint("bold", cell) },
      { title: "EFFECT" },
      { title: "CATEGORY" },
      { title: "WHAT IT DOES", long: "cut" },
    ],
  });
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
