import { type RedactedStream, type Redactor, redactFailure } from "../../text/index.ts";
import type { AgentEvent, AgentListener, TextDelta } from "../agent-event.ts";
import type { SaidRule } from "./shown-result.ts";

/** What a model says in one place, as far as it may be shown. */
interface Saying {
  readonly stream: RedactedStream;
  /** The last piece of it. */
  last: TextDelta;
}

/**
 * Hands on events without secrets, also where one comes in pieces: of what a model says, what may turn into a secret is
 * held back until it cannot. Of what is said only secrets that are known are taken out, unless `all` is asked for, which
 * is what looks like one as well.
 */
export function shownEvents(listener: AgentListener, redactor: Redactor, said: SaidRule = "known"): AgentListener {
  const open = new Map<string, Saying>();
  const say = (event: TextDelta, text: string): void => {
    if (text !== "") listener(text === event.text ? event : { ...event, text });
  };
  const hear = (event: TextDelta): void => {
    const key = `${placeOf(event)}${event.type}`;
    let saying = open.get(key);
    if (saying === undefined) {
      saying = { stream: said === "all" ? redactor.words() : redactor.knownStream(), last: event };
      open.set(key, saying);
    }
    saying.last = event;
    say(event, saying.stream.write(event.text));
  };
  /** Of one round, or of all where the run is over. */
  const release = (place: string, forget: boolean): void => {
    for (const [key, { stream, last }] of open) {
      if (!key.startsWith(place)) continue;
      open.delete(key);
      if (!forget) say(last, stream.end());
    }
  };
  return (event) => {
    if (event.type === "text-delta" || event.type === "thinking-delta") {
      // Where nothing is known nothing is held back.
      return said === "all" || redactor.knowsAny() ? hear(event) : listener(event);
    }
    if (open.size > 0) {
      if (event.type === "round-finished") release(placeOf(event), false);
      else if (event.type === "round-restarted") release(placeOf(event), true);
      else if (event.type === "run-finished") release("", false);
    }
    listener(shownEvent(event, redactor, said));
  };
}

function placeOf({ part, round }: { readonly part: string; readonly round: number }): string {
  return `${part}.${round} `;
}

type Redact = (value: unknown) => unknown;

/** What tools, services and people put into an event. Everything else in it is a name, a number or a word of ours. */
const carried = ["value", "summary", "message", "note"] as const;
/** What the user and the model say to each other. */
const spoken = ["text", "answer", "partial", "question"] as const;

/** An event without secrets; the same one where there are none in it. */
function shownEvent(event: AgentEvent, redactor: Redactor, said: SaidRule): AgentEvent {
  let changed: Record<string, unknown> | undefined;
  const look = (name: string, redact: Redact): void => {
    const value = (event as unknown as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) return;
    const shown = redact(value);
    if (shown === value) return;
    changed ??= { ...event };
    changed[name] = shown;
  };
  for (const name of carried) look(name, redactor.value);
  // A note may quote what a service said.
  const ofSaid = said === "all" || event.type === "note" ? redactor.value : redactor.known;
  for (const name of spoken) look(name, ofSaid);
  if ("error" in event && event.error !== undefined) {
    const { error } = event;
    look("error", () => redactFailure(error, redactor.text));
  }
  if ("found" in event && event.found !== undefined) {
    const { found } = event;
    const names = redactor.value(found.names);
    look("found", () => (names === found.names ? found : { ...found, names }));
  }
  // What is redacted keeps its shape.
  return changed === undefined ? event : (changed as unknown as AgentEvent);
}
