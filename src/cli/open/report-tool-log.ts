import type { LogEntry } from "../../engine/index.ts";
import { shortText } from "../terminal/short-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Reports a line that a tool logs, or the log of a server. */
export function reportLogEntry(terminal: Terminal, { message, data }: LogEntry): void {
  reportToolLog(terminal, data === undefined ? message : `${message} ${shortText(data)}`);
}

/** Reports the progress of a tool. */
export function reportToolLog(terminal: Terminal, value: unknown): void {
  terminal.log(terminal.tint("dim", `· ${shortText(value)}`));
}
