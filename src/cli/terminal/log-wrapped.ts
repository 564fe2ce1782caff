import { displayWidth } from "../../text/index.ts";
import type { Style, Terminal } from "./terminal.ts";
import { wrapText } from "./wrap-text.ts";

/** Options of {@link logWrapped}. */
export interface LogWrappedOptions {
  /** Printed before the first line, painted or not; the other lines are indented by its width. */
  readonly lead?: string;
  /** Printed after the last line, painted or not, as one word; on the next line if there is no space. */
  readonly behind?: string;
  readonly style?: Style;
}

/**
 * Logs a text to stderr, wrapped between words at the width of the terminal. After a lead, further lines of the text
 * are indented: a text of any origin cannot pretend to be a line of the program.
 */
export function logWrapped(text: string, terminal: Terminal, options: LogWrappedOptions = {}): void {
  const { sideColumns } = terminal;
  const { lead = "", behind = "", style } = options;
  const indent = widthOf(lead);
  const room = sideColumns === undefined ? Number.POSITIVE_INFINITY : sideColumns - 1 - indent;
  const lines = sideColumns === undefined ? text.split("\n") : wrapText(text, room);
  const shown = lines.map((line) => (style === undefined ? line : terminal.tint(style, line)));
  const last = shown.pop() ?? "";
  if (behind === "") shown.push(last);
  else if (displayWidth(`${lines.at(-1) ?? ""} `) + widthOf(behind) <= room) shown.push(`${last} ${behind}`);
  else shown.push(last, behind);
  for (const [at, line] of shown.entries()) terminal.log(`${at === 0 ? lead : " ".repeat(indent)}${line}`);
}

function widthOf(painted: string): number {
  return displayWidth(process.getBuiltinModule("node:util").stripVTControlCharacters(painted));
}
