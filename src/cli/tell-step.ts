import { shortText } from "./short-text.ts";
import type { Terminal } from "./terminal.ts";

/** What a tool reports on its way. */
export function tellStep(terminal: Terminal, value: unknown): void {
  terminal.tell(terminal.tint("dim", `· ${shortText(value)}`));
}
