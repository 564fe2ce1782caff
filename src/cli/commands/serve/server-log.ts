import type { LogEntry } from "../../../engine/index.ts";
import { type AccessLogEntry, formatAccess } from "../../../server/index.ts";
import { reportLogEntry } from "../../open/open-here.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import type { Style, Terminal } from "../../terminal/terminal.ts";

/** The log of a server, on stderr: lines for people, or one JSON object per line. */
export interface ServerLog {
  /** A sentence about the server: its start, its end. */
  readonly message: (text: string) => void;
  /** A handled request. */
  readonly access: (entry: AccessLogEntry) => void;
  /** A call, a step of a run, a reload or a problem: a line for people, and the event itself. */
  readonly event: (line: string, event: Readonly<Record<string, unknown>>) => void;
  /** A line that a tool logs. */
  readonly tool: (entry: LogEntry) => void;
  /** An error that is a bug. */
  readonly error: (error: unknown, requestId: string) => void;
}

/** Creates a log in one of the formats. */
export function createServerLog(terminal: Terminal, format: string | undefined): ServerLog {
  return format === "json" ? jsonLog(terminal) : textLog(terminal);
}

function textLog(terminal: Terminal): ServerLog {
  return {
    message: (text) => terminal.log(terminal.tint("dim", toOneLine(text))),
    access: (entry) => terminal.log(terminal.tint(styleOf(entry), formatAccess(entry))),
    event: (text) => terminal.log(text),
    tool: (entry) => reportLogEntry(terminal, entry),
    error: (error, requestId) => terminal.log(terminal.tint("red", `request ${requestId} failed: ${stackOf(error)}`)),
  };
}

/** By the class of the status. */
function styleOf({ status }: AccessLogEntry): Style {
  return status >= 500 ? "red" : status >= 400 ? "yellow" : "dim";
}

function jsonLog(terminal: Terminal): ServerLog {
  const line = (at: number, type: string, fields: Readonly<Record<string, unknown>>): void =>
    terminal.log(safeJson({ time: new Date(at).toISOString(), type, ...fields }, 0));
  return {
    message: (text) => line(Date.now(), "server", { message: text }),
    access: (entry) => terminal.log(formatAccess(entry, "json")),
    event: (_text, event) => terminal.log(safeJson(event, 0)),
    tool: ({ at, callId, tool, message, data }) => line(at, "log", { tool, call_id: callId, message, data }),
    error: (error, requestId) => line(Date.now(), "error", { request_id: requestId, message: stackOf(error) }),
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
