import type { AgentEvent } from "../../agent/index.ts";
import type { RunEvent } from "../../chain/index.ts";
import { showValue } from "../../schema/index.ts";
import type { Redactor } from "../../secrets/index.ts";
import { snakeKeys, toWireFailure } from "../../tool/index.ts";
import { toWireCoded } from "./to-wire.ts";

/** An event of a chain's run in JSON output, secrets redacted. */
export function toWireRunEvent(event: RunEvent, redactor: Redactor): Record<string, unknown> {
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
    return showValue(value);
  }
}

/** An event of an agent in JSON output; its secrets are redacted when it is created. */
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
