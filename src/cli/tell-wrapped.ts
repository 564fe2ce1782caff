import { displayWidth } from "../text/index.ts";
import type { Style, Terminal } from "./terminal.ts";
import { wrapText } from "./wrap-text.ts";

/** How {@link tellWrapped} tells a text. */
export interface WrappedOptions {
  /** Stands before the first line, painted or not; the others begin below what follows it. */
  readonly lead?: string;
  readonly style?: Style;
}

/** Tells a text on stderr, broken between words where the terminal ends. */
export function tellWrapped(text: string, terminal: Terminal, { lead = "", style }: WrappedOptions = {}): void {
  const { sideColumns } = terminal;
  const indent = displayWidth(process.getBuiltinModule("node:util").stripVTControlCharacters(lead));
  const lines = sideColumns === undefined ? [text] : wrapText(text, sideColumns - 1 - indent);
  for (const [at, line] of lines.entries()) {
    const shown = style === undefined ? line : terminal.tint(style, line);
    terminal.tell(`${at === 0 ? lead : " ".repeat(indent)}${shown}`);
  }
}
