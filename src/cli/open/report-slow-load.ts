import { toOneLine } from "../terminal/format-table.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Reports the tool file that delays the command. */
export function reportSlowLoad(terminal: Terminal): (file: string) => void {
  return (file) => terminal.log(terminal.tint("dim", `${toOneLine(file)} is still loading …`));
}
