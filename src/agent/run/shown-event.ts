import type { Failure } from "../../base/index.ts";
import { type Redactor, redactFailure } from "../../text/index.ts";
import type { AgentEvent, FoundItems } from "../agent-event.ts";

/**
 * How a field is shown:
 * - `as it is`: a name, a word of ours, or what had its secrets taken out when the event was made;
 * - `carried`: what tools, services and people put into an event, without secrets and what looks like one;
 * - `said`: what the user and the model say to each other, and what people decide on, without secrets that are known.
 */
type How<V> = V extends Failure ? "failure" : V extends FoundItems ? "found" : "as it is" | "carried" | "said";

/** What every event has, and where in a run it happened. */
type Common = "type" | "at" | "runId" | "replayed" | "part" | "round";

/** Every field of an event but those of all events, and numbers: who adds one has to say how it is shown. */
type Rules<E> = {
  readonly [K in keyof E as K extends Common ? never : E[K] extends number | boolean | undefined ? never : K]-?: How<
    NonNullable<E[K]>
  >;
};

const call = { callId: "as it is", tool: "as it is" } as const;

const rules: { readonly [E in AgentEvent as E["type"]]: Rules<E> } = {
  "run-started": { runner: "as it is", question: "said" },
  "round-started": {},
  "text-delta": { text: "said" },
  "thinking-delta": { text: "said" },
  "round-restarted": {},
  "round-waiting": { reason: "as it is" },
  "round-finished": { model: "as it is", finishReason: "as it is", usage: "as it is", text: "said" },
  "tool-started": { ...call, decidedBy: "as it is", args: "as it is" },
  "tool-progress": { ...call, value: "carried" },
  "tool-finished": { ...call, decidedBy: "as it is", summary: "carried", found: "found", error: "failure" },
  "approval-asked": { ...call, approvalId: "as it is", args: "as it is", message: "said" },
  "approval-decided": { ...call, approvalId: "as it is", note: "carried" },
  // It may quote what a service said.
  note: { text: "carried" },
  "run-finished": { status: "as it is", answer: "said", partial: "said", usage: "as it is", error: "failure" },
};

/** The fields that are looked through, by the type of the event. */
const texts = new Map(
  Object.entries(rules).map(([type, fields]) => [
    type,
    Object.entries(fields).filter(([, how]) => how === "carried" || how === "said"),
  ]),
);

/** An event without secrets; the same one where there are none in it. */
export function shownEvent(event: AgentEvent, redactor: Redactor): AgentEvent {
  let shown = event;
  for (const [name, how] of texts.get(event.type) ?? []) {
    const value: unknown = Reflect.get(event, name);
    if (value === undefined) continue;
    const safe = how === "said" ? redactor.known(value) : redactor.value(value);
    if (safe !== value) shown = { ...shown, [name]: safe };
  }
  if ("error" in shown && shown.error !== undefined) {
    const error = redactFailure(shown.error, redactor.text);
    if (error !== shown.error) shown = { ...shown, error };
  }
  if ("found" in shown && shown.found !== undefined) {
    const found = shownFound(shown.found, redactor);
    if (found !== shown.found) shown = { ...shown, found };
  }
  return shown;
}

function shownFound(found: FoundItems, { text }: Redactor): FoundItems {
  const names = found.names.map(text);
  return names.some((name, index) => name !== found.names[index]) ? { ...found, names } : found;
}
