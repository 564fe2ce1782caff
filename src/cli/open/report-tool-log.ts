import { shortText } from "../terminal/short-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Reports the progress of a tool. */
export function reportToolLog(terminal: Terminal, value: unknown): void {
  terminal.log(terminal.tint("dim", `· ${shortText(value)}`));
}
