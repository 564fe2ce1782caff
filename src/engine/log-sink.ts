import type { Redactor } from "../text/index.ts";
import type { LogEntry } from "./core.ts";

/** Where log lines leave the engine: secrets redacted, and a receiver that fails harms nobody. */
export function logSink(
  onLog: ((entry: LogEntry) => unknown) | undefined,
  redactor: Redactor,
): (entry: LogEntry) => void {
  if (onLog === undefined) return () => {};
  return (entry) => {
    const message = redactor.text(entry.message);
    try {
      const returned = onLog({
        ...entry,
        message,
        ...(entry.data !== undefined && { data: redactor.value(entry.data) }),
      });
      // There is nobody left to tell.
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // The same.
    }
  };
}
