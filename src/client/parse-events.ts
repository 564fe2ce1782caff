/** A server-sent event as it arrived. */
export interface ReceivedEvent {
  readonly type: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Maximum length of a line: beyond it, the stream is not one of events. */
const maxLine = 64 << 20;

/**
 * Parses a stream of server-sent events, by the rules of the HTML standard. An event that was cut off is not reported.
 *
 * @param alive Called whenever something arrives, such as a heartbeat.
 */
export async function* parseEvents(
  body: ReadableStream<Uint8Array>,
  alive: () => void,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const event = new EventLines();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      if (rest.length > maxLine) throw new TypeError("the response is not a stream of events");
      for (const line of lines) {
        const complete = event.take(line);
        if (complete !== undefined) yield complete;
      }
    }
  } finally {
    // Closes the connection if the reader stops early.
    reader.cancel().catch(() => {});
  }
}

/** The lines of one event. */
class EventLines {
  #type = "";
  #data: string[] = [];
  #id: string | undefined;

  /** Returns the event if the line ends it. */
  take(line: string): ReceivedEvent | undefined {
    if (line === "") return this.#complete();
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "event") this.#type = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
    return undefined;
  }

  #complete(): ReceivedEvent | undefined {
    const isEvent = this.#data.length > 0;
    const event = { type: this.#type || "message", data: this.#data.join("\n"), id: this.#id };
    this.#type = "";
    this.#data = [];
    this.#id = undefined;
    return isEvent ? event : undefined;
  }
}
