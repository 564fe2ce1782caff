import { type RedactedStream, type Redactor, redactFailure } from "../../secrets/index.ts";
import type { AgentEvent, AgentEventOf, AgentListener, ResultItems } from "../events/agent-event.ts";
import { RedactedProgress } from "./redacted-progress.ts";
import type { Failure } from "../../base/index.ts";

type TextDelta = AgentEventOf<"text-delta" | "thinking-delta">;

/** The model's text of one turn, as far as it may be shown. */
interface RedactedText {
  readonly stream: RedactedStream;
  /** The last piece of it. */
  last: TextDelta;
}

/**
 * Forwards events without secrets, also if a secret arrives in pieces: of a model's text and of progress texts, a part
 * that may become a secret is held back until it cannot. In the model's text and in approvals, only known secrets are
 * redacted: an answer may contain code, and a person cannot decide on hidden values.
 */
export function redactingListener(listener: AgentListener, redactor: Redactor): AgentListener {
  const open = new Map<string, RedactedText>();
  const progress = new RedactedProgress(listener, redactor);
  const emit = (event: TextDelta, text: string): void => {
    if (text !== "") listener(text === event.text ? event : { ...event, text });
  };
  const hold = (event: TextDelta): void => {
    const key = `${turnKey(event)}${event.type}`;
    let text = open.get(key);
    if (text === undefined) {
      text = { stream: redactor.knownStream(), last: event };
      open.set(key, text);
    }
    text.last = event;
    emit(event, text.stream.write(event.text));
  };
  /** Releases the text of one round, or of all rounds at the end of the run. */
  const release = (prefix: string, forget: boolean): void => {
    for (const [key, { stream, last }] of open) {
      if (!key.startsWith(prefix)) continue;
      open.delete(key);
      if (!forget) emit(last, stream.end());
    }
  };
  return (event) => {
    if (event.type === "text-delta" || event.type === "thinking-delta") {
      // Without known secrets nothing is held back.
      return redactor.knowsAny() ? hold(event) : listener(event);
    }
    if (progress.takes(event)) return;
    if (open.size > 0) {
      if (event.type === "round-finished") release(turnKey(event), false);
      else if (event.type === "round-restarted") release(turnKey(event), true);
      else if (event.type === "run-finished") release("", false);
    }
    listener(redactAgentEvent(event, redactor));
  };
}

function turnKey({ part, round }: { readonly part: string; readonly round: number }): string {
  return `${part}.${round} `;
}

/**
 * Redaction of a field:
 * - `unchanged`: a name, a keyword of Windlass, or a value that was redacted when the event was created;
 * - `value`: values from tools, services and people; known secrets and anything that looks like one are redacted;
 * - `message`: texts of the user and the model, and approvals; only known secrets are redacted.
 */
type How<V> = V extends Failure ? "failure" : V extends ResultItems ? "items" : "unchanged" | "value" | "message";

/** Fields of every event, and its position in the run. */
type Common = "type" | "at" | "runId" | "replayed" | "part" | "round";

/** Every field of an event except the common ones and numbers: a new field requires a redaction rule. */
type Rules<E> = {
  readonly [K in keyof E as K extends Common ? never : E[K] extends number | boolean | undefined ? never : K]-?: How<
    NonNullable<E[K]>
  >;
};

const call = { callId: "unchanged", tool: "unchanged" } as const;

const rules: { readonly [E in AgentEvent as E["type"]]: Rules<E> } = {
  "run-started": { runner: "unchanged", prompt: "message" },
  "round-started": {},
  "text-delta": { text: "message" },
  "thinking-delta": { text: "message" },
  "round-restarted": {},
  "round-waiting": { reason: "unchanged" },
  "round-finished": { model: "unchanged", finishReason: "unchanged", usage: "unchanged", text: "message" },
  "tool-started": { ...call, displayName: "value", initiator: "unchanged", args: "unchanged" },
  "tool-progress": { ...call, value: "value" },
  "tool-finished": {
    ...call,
    displayName: "value",
    initiator: "unchanged",
    summary: "value",
    items: "items",
    error: "failure",
  },
  "approval-requested": { ...call, approvalId: "unchanged", args: "unchanged", message: "message" },
  "approval-decided": { ...call, approvalId: "unchanged", note: "value" },
  // It may quote a service's message.
  notice: { code: "unchanged", params: "value", text: "value" },
  "run-finished": { status: "unchanged", answer: "message", partial: "message", usage: "unchanged", error: "failure" },
};

/** The fields to redact, by event type. */
const texts = new Map(
  Object.entries(rules).map(([type, fields]) => [
    type,
    Object.entries(fields).filter(([, how]) => how === "value" || how === "message"),
  ]),
);

/** An event without secrets; the same object if it contains none. */
function redactAgentEvent(event: AgentEvent, redactor: Redactor): AgentEvent {
  let shown = event;
  for (const [name, how] of texts.get(event.type) ?? []) {
    const value: unknown = Reflect.get(event, name);
    if (value === undefined) continue;
    const safe = how === "message" ? redactor.known(value) : redactor.value(value);
    if (safe !== value) shown = { ...shown, [name]: safe };
  }
  if ("error" in shown && shown.error !== undefined) {
    const error = redactFailure(shown.error, redactor.text);
    if (error !== shown.error) shown = { ...shown, error };
  }
  if ("items" in shown && shown.items !== undefined) {
    const found = redactResultItems(shown.items, redactor);
    if (found !== shown.items) shown = { ...shown, items: found };
  }
  return shown;
}

function redactResultItems(found: ResultItems, { text }: Redactor): ResultItems {
  const names = found.names.map(text);
  return names.some((name, index) => name !== found.names[index]) ? { ...found, names } : found;
}
