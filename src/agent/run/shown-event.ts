import type { Redactor } from "../../text/index.ts";
import type { AgentEvent } from "../agent-event.ts";

/** What tools, services and people put into an event. Everything else in it is a name, a number or a word of ours. */
const carried = ["value", "summary", "found", "error", "message", "note"] as const;
/** What the user and the model say to each other: only secrets that are known are no part of it. */
const said = ["text", "answer", "partial", "question"] as const;

type Field = (typeof carried)[number] | (typeof said)[number];

/** An event as listeners see it: without secrets. The same one where there are none in it. */
export function shownEvent(event: AgentEvent, redactor: Redactor): AgentEvent {
  let changed: Record<string, unknown> | undefined;
  const look = (name: Field, redact: (value: unknown) => unknown): void => {
    const value = (event as Partial<Readonly<Record<Field, unknown>>>)[name];
    if (value === undefined) return;
    const shown = redact(value);
    if (shown === value) return;
    changed ??= { ...event };
    changed[name] = shown;
  };
  for (const name of carried) look(name, redactor.value);
  // A note may quote what a service said.
  for (const name of said) look(name, event.type === "note" ? redactor.value : redactor.known);
  // What is redacted keeps its shape.
  return changed === undefined ? event : (changed as unknown as AgentEvent);
}
