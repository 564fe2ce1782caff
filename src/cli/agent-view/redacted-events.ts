import type { AgentEvent, AgentListener } from "../../agent/index.ts";
import type { Redactor } from "../../text/index.ts";

type Delta = Extract<AgentEvent, { type: "text-delta" | "thinking-delta" }>;

/** A word that has not come to its end: it may be a part of a secret. */
const openWord = /[\x21-\x7e]{1,200}$/;

/**
 * Hands on events without secrets, also where one comes in pieces: what a model says is handed on in whole words, and the
 * last one is held back until it is over.
 */
export function redactedEvents(redactor: Redactor, listener: AgentListener): AgentListener {
  const held = new Map<string, { text: string; readonly of: Delta }>();
  const keyOf = ({ type, part, round }: Pick<Delta, "type" | "part" | "round">): string => `${type} ${part}.${round}`;
  const hear = (event: Delta): void => {
    const key = keyOf(event);
    const whole = (held.get(key)?.text ?? "") + event.text;
    const rest = openWord.exec(whole)?.[0] ?? "";
    held.set(key, { text: rest, of: event });
    const text = redactor.text(whole.slice(0, whole.length - rest.length));
    if (text !== "") listener({ ...event, text });
  };
  const release = (key: string, forget: boolean): void => {
    const open = held.get(key);
    held.delete(key);
    if (open !== undefined && open.text !== "" && !forget) listener({ ...open.of, text: redactor.text(open.text) });
  };
  return (event) => {
    if (event.type === "text-delta" || event.type === "thinking-delta") return hear(event);
    if (event.type === "round-finished" || event.type === "round-restarted") {
      const { part, round } = event;
      for (const type of ["thinking-delta", "text-delta"] as const) {
        release(keyOf({ type, part, round }), event.type === "round-restarted");
      }
    }
    // Redacting keeps the shape of a value. Figures are no secrets, whatever their names say.
    const safe = redactor.value(event) as AgentEvent;
    listener("usage" in event && "usage" in safe ? { ...safe, usage: event.usage } : safe);
  };
}
