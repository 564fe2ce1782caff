import type { AgentEvent } from "../../agent/index.ts";
import type { RunEvent } from "../../chain/index.ts";
import type { Redactor } from "../../secrets/index.ts";
import { cutText } from "../../text/index.ts";
import { snakeKeys, toWireFailure } from "../../tool/index.ts";
import { toWireCoded } from "./to-wire.ts";

/** An event of a chain's run in JSON output, with secrets redacted. */
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
    return cutText(String(value), 200, { at: "character" }).text;
  }
}

/** An event of an agent's run in JSON output. It was redacted when it was emitted. */
export function toWireAgentEvent(event: AgentEvent): Record<string, unknown> {
  const { type, at, ...rest } = event;
  return {
    type: type.replaceAll("-", "_"),
    at: new Date(at).toISOString(),
    ...snakeKeys(rest),
    ...("params" in event && toWireCoded(event)),
    ...("usage" in event && { usage: snakeKeys({ ...event.usage }) }),
    ...("error" in event && event.error !== undefined && { error: toWireFailure(event.error) }),
  };
}
