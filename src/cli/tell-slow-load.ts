import { oneLine } from "./format-table.ts";
import type { Terminal } from "./terminal.ts";

/** Tells which file of tools keeps the command waiting. */
export function tellSlowLoad(terminal: Terminal): (file: string) => void {
  return (file) => terminal.tell(terminal.tint("dim", `${oneLine(file)} is still loading …`));
}
