type WireEvent = Readonly<Record<string, unknown>>;

/** Events that show a state until another one replaces it, and the events that end it. */
const ends: Readonly<Record<string, readonly string[]>> = {
  step_finished: ["step"],
  item_finished: ["step", "item"],
  tool_finished: ["call_id"],
  round_finished: ["part", "round"],
  round_restarted: ["part", "round"],
};

/** The event that opens what the others are about; it outlives their end. */
const reopened: Readonly<Record<string, string>> = { round_restarted: "round_started" };

/** The names of the fields that identify a piece of work. */
const identity = ["step", "item", "call_id", "part", "round"] as const;

/**
 * The events that show what a run is doing: those of its running steps, calls and turns, the last of each type. Pieces of
 * text are joined. Replaying them gives a view the state that it would have if it had seen all events.
 */
export class RunActivity {
  /** By piece of work and type, in the order of their first events. */
  readonly #open = new Map<string, { event: WireEvent; pieces: string[] | undefined }>();

  add(event: WireEvent): void {
    const type = String(event["type"]);
    const ended = ends[type];
    if (ended !== undefined) this.#end(event, ended, reopened[type]);
    else this.#hold(type, event);
  }

  /** In the order in which the work began. */
  events(): WireEvent[] {
    return Array.from(this.#open.values(), ({ event, pieces }) =>
      pieces === undefined ? event : { ...event, text: pieces.join("") },
    );
  }

  #hold(type: string, event: WireEvent): void {
    const key = JSON.stringify([type, ...identity.map((name) => event[name] ?? null)]);
    const isText = type === "text_delta" || type === "thinking_delta";
    const held = this.#open.get(key);
    const pieces = isText ? (held?.pieces ?? []) : undefined;
    pieces?.push(String(event["text"]));
    if (held === undefined) this.#open.set(key, { event, pieces });
    else held.event = event;
  }

  #end(event: WireEvent, fields: readonly string[], opener: string | undefined): void {
    for (const [key, { event: open }] of this.#open) {
      const isOf = fields.every((name) => open[name] === event[name]);
      if (isOf && open["type"] !== opener) this.#open.delete(key);
    }
  }
}
