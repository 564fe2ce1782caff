import type { AgentEvent, AgentListener } from "../../agent/index.ts";
import type { RedactedStream, Redactor } from "../../text/index.ts";

type Delta = Extract<AgentEvent, { type: "text-delta" | "thinking-delta" }>;

/** What a model says in one place, as far as it may be shown. */
interface Said {
  readonly words: RedactedStream;
  /** The last piece of it. */
  last: Delta;
}

/**
 * Hands on events without secrets, also where one comes in pieces: of what a model says, what may turn into a secret is
 * held back until it is over.
 */
export function redactedEvents(redactor: Redactor, listener: AgentListener): AgentListener {
  const open = new Map<string, Said>();
  const say = (event: Delta, text: string): void => {
    if (text !== "") listener({ ...event, text });
  };
  const hear = (event: Delta): void => {
    const key = `${event.part}.${event.round} ${event.type}`;
    const said = open.get(key) ?? { words: redactor.words(), last: event };
    said.last = event;
    open.set(key, said);
    say(event, said.words.write(event.text));
  };
  /** Of one round, or of all where the run is over. */
  const release = (round: string, forget: boolean): void => {
    for (const [key, { words, last }] of open) {
      if (!key.startsWith(round)) continue;
      open.delete(key);
      if (!forget) say(last, words.end());
    }
  };
  return (event) => {
    if (event.type === "text-delta" || event.type === "thinking-delta") return hear(event);
    if (event.type === "round-finished" || event.type === "round-restarted") {
      release(`${event.part}.${event.round} `, event.type === "round-restarted");
    }
    if (event.type === "run-finished") release("", false);
    // Redacting keeps the shape of a value. Figures are no secrets, whatever their names say.
    const safe = redactor.value(event) as AgentEvent;
    listener("usage" in event && "usage" in safe ? { ...safe, usage: event.usage } : safe);
  };
}
