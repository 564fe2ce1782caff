import type { Redactor } from "../text/index.ts";
import type { LogEntry } from "./core.ts";

/** Where log lines leave the engine: secrets redacted, and a receiver that fails harms nobody. */
export function logSink(
  onLog: ((entry: LogEntry) => unknown) | undefined,
  redactor: Redactor,
): (entry: LogEntry) => void {
  if (onLog === undefined) return () => {};
  return ({ message, data, ...about }) => {
    try {
      // Handlers in plain JavaScript log anything.
      const said: unknown = message;
      const entry = { ...about, message: redactor.text(String(said)) };
      const returned = onLog(data === undefined ? entry : { ...entry, data: redactor.value(data) });
      // There is nobody left to tell.
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // Nor here.
    }
  };
}
