import { displayWidth } from "../text/index.ts";
import type { Style, Terminal } from "./terminal.ts";
import { wrapText } from "./wrap-text.ts";

/** How {@link tellWrapped} tells a text. */
export interface WrappedOptions {
  /** Stands before the first line, painted or not; the others begin below what follows it. */
  readonly lead?: string;
  /** Stands behind the last line, painted or not, as one word; below it where there is no room. */
  readonly behind?: string;
  readonly style?: Style;
}

/** Tells a text on stderr, broken between words where the terminal ends. */
export function tellWrapped(text: string, terminal: Terminal, options: WrappedOptions = {}): void {
  const { sideColumns } = terminal;
  const { lead = "", behind = "", style } = options;
  const indent = widthOf(lead);
  const room = sideColumns === undefined ? Number.POSITIVE_INFINITY : sideColumns - 1 - indent;
  const lines = sideColumns === undefined ? [text] : wrapText(text, room);
  const shown = lines.map((line) => (style === undefined ? line : terminal.tint(style, line)));
  const last = shown.pop() ?? "";
  if (behind === "") shown.push(last);
  else if (displayWidth(`${lines.at(-1) ?? ""} `) + widthOf(behind) <= room) shown.push(`${last} ${behind}`);
  else shown.push(last, behind);
  for (const [at, line] of shown.entries()) terminal.tell(`${at === 0 ? lead : " ".repeat(indent)}${line}`);
}

function widthOf(painted: string): number {
  return displayWidth(process.getBuiltinModule("node:util").stripVTControlCharacters(painted));
}
