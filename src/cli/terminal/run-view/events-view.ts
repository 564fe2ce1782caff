import type { RunEvent } from "../../../chain/index.ts";
import type { Redactor } from "../../../secrets/index.ts";
import { snakeKeys, toWireFailure } from "../../../tool/index.ts";
import { safeJson } from "../safe-json.ts";
import { shortText } from "../short-text.ts";
import type { Terminal } from "../terminal.ts";
import type { RunView } from "./run-view.ts";

/** Prints all events as JSON on stdout, one per line, with secrets redacted. */
export function eventsView(terminal: Pick<Terminal, "print">, redactor: Redactor): RunView {
  return {
    onEvent: (event) => terminal.print(safeJson(toWireEvent(event, redactor), 0)),
    pause: () => () => {},
    close: () => {},
  };
}

/** An event in JSON output. */
export function toWireEvent(event: RunEvent, redactor: Redactor): Record<string, unknown> {
  const { type, at, ...rest } = event;
  const wire: Record<string, unknown> = {
    type: type.replaceAll("-", "_"),
    at: new Date(at).toISOString(),
    ...snakeKeys(rest),
  };
  for (const key of ["input", "output", "value"]) {
    if (wire[key] !== undefined) wire[key] = redactor.value(plainJson(wire[key]));
  }
  for (const key of ["message", "note"]) {
    if (typeof wire[key] === "string") wire[key] = redactor.text(wire[key]);
  }
  if ("error" in event && event.error !== undefined) {
    wire["error"] = redactor.value(toWireFailure(event.error));
  }
  return wire;
}

/** Converts a value to JSON, with secret handles by name; to text if JSON cannot represent it. */
function plainJson(value: unknown): unknown {
  try {
    const text = JSON.stringify(value);
    return text === undefined ? null : (JSON.parse(text) as unknown);
  } catch {
    return shortText(value);
  }
}
