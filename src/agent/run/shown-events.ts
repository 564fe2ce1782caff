import type { RedactedStream, Redactor } from "../../text/index.ts";
import type { AgentListener, TextDelta } from "../agent-event.ts";
import { shownEvent } from "./shown-event.ts";
import { ShownProgress } from "./shown-progress.ts";

/** What a model says in one place, as far as it may be shown. */
interface Saying {
  readonly stream: RedactedStream;
  /** The last piece of it. */
  last: TextDelta;
}

/**
 * Hands on events without secrets, also where one comes in pieces: of what a model says and of the texts that a call
 * reports, what may turn into a secret is held back until it cannot. Of what is said, and of what people decide on, only
 * secrets that are known are taken out: an answer may hold code, and nobody can decide on what is hidden from them.
 */
export function shownEvents(listener: AgentListener, redactor: Redactor): AgentListener {
  const open = new Map<string, Saying>();
  const progress = new ShownProgress(listener, redactor);
  const say = (event: TextDelta, text: string): void => {
    if (text !== "") listener(text === event.text ? event : { ...event, text });
  };
  const hear = (event: TextDelta): void => {
    const key = `${placeOf(event)}${event.type}`;
    let saying = open.get(key);
    if (saying === undefined) {
      saying = { stream: redactor.knownStream(), last: event };
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
      return redactor.knowsAny() ? hear(event) : listener(event);
    }
    if (progress.takes(event)) return;
    if (open.size > 0) {
      if (event.type === "round-finished") release(placeOf(event), false);
      else if (event.type === "round-restarted") release(placeOf(event), true);
      else if (event.type === "run-finished") release("", false);
    }
    listener(shownEvent(event, redactor));
  };
}

function placeOf({ part, round }: { readonly part: string; readonly round: number }): string {
  return `${part}.${round} `;
}
