import type { Failure } from "../../base/index.ts";
import type { RunEvent } from "../../chain/index.ts";
import type { Redactor } from "../../text/index.ts";
import { shortText } from "../short-text.ts";

/** An event whose words are fit to be shown to people: secrets are taken out of what tools say. */
export function redactEvent(event: RunEvent, redactor: Pick<Redactor, "text" | "value">): RunEvent {
  switch (event.type) {
    case "step-progress":
      // In this order: half of a secret does not look like one.
      return { ...event, value: shortText(redactor.value(event.value)) };
    case "step-waiting":
      return { ...event, message: redactor.text(event.message) };
    case "step-retrying":
    case "step-fallback":
      return { ...event, error: redacted(event.error, redactor) };
    case "step-finished":
    case "run-finished":
      return event.error === undefined ? event : { ...event, error: redacted(event.error, redactor) };
    case "run-started":
    case "step-started":
    case "step-decided":
    case "item-finished":
      return event;
    default:
      return event satisfies never;
  }
}

function redacted(error: Failure, redactor: Pick<Redactor, "text">): Failure {
  return { ...error, message: redactor.text(error.message) };
}
