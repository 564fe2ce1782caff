import { type StreamEvent, type StreamTopic, isStreamEventType } from "../api/index.ts";
import { isApiError } from "./api-error.ts";
import { parseEvents } from "./parse-events.ts";
import { type RequestSender, pause } from "./send-request.ts";

/** Options of a stream of events. */
export interface EventsOptions {
  /** `runs`, `approvals`, `calls`, `metrics`, and `run:ID` for all about one run. */
  readonly topics: readonly StreamTopic[];
  /** The id of the last event that was received: the stream continues after it. Default: a new stream. */
  readonly after?: string | undefined;
  /** End the stream once the runs of the topics have ended. Default: it does not end. */
  readonly until?: "end" | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when the connection is lost, before the client reconnects. */
  readonly onDisconnect?: ((error: unknown) => void) | undefined;
}

/** A response with events that was opened by another request. */
export interface OpenedStream {
  readonly response: Response;
  readonly close: () => void;
}

const firstPauseMs = 250;
const maxPauseMs = 5_000;
/** The server sends something at least every 15 s. */
const silentMs = 45_000;

/**
 * Reads the events of a server. Reconnects until the signal is aborted, and continues after the last
 * event with an id: none of those is lost or repeated. Throws if the server refuses the request for good.
 *
 * @param opened The first connection. Default: a new one.
 */
export async function* readEvents(
  sender: RequestSender,
  { onDisconnect, after: first, ...options }: EventsOptions,
  opened?: OpenedStream,
): AsyncGenerator<StreamEvent, void, undefined> {
  const { signal } = options;
  let [after, stream] = [first, opened];
  for (let failures = 0; ; failures++) {
    try {
      const events = readConnection(sender, { ...options, after }, stream);
      stream = undefined;
      for await (const event of events) {
        failures = 0;
        after = event.id ?? after;
        yield event;
        if (event.type === "end") return;
      }
      onDisconnect?.(undefined);
    } catch (error) {
      if (signal?.aborted === true || isFinal(error)) throw error;
      onDisconnect?.(error);
    }
    await pause(Math.min(maxPauseMs, firstPauseMs * 2 ** failures), signal);
  }
}

/** True if the same request would fail again. */
function isFinal(error: unknown): boolean {
  return isApiError(error) && !error.isTransient && (error.status ?? 0) < 500;
}

/** The events of one connection. */
async function* readConnection(
  sender: RequestSender,
  { topics, until, after, signal }: EventsOptions,
  opened: OpenedStream | undefined,
): AsyncGenerator<StreamEvent, void, undefined> {
  const connection = new Connection(signal);
  try {
    const query = { topics: topics.join(","), ...(until && { until }), ...(after !== undefined && { after }) };
    const { signal: stop } = connection;
    if (opened !== undefined) stop.addEventListener("abort", opened.close, { once: true });
    const { body } = opened?.response ?? (await sender.open("stream_events", { params: {}, query, signal: stop }));
    if (body === null) throw new TypeError("the response has no body");
    for await (const { type, data, id } of parseEvents(body, () => connection.alive())) {
      if (!isStreamEventType(type)) continue;
      // The server validates its events against the same schemas in its tests.
      yield { type, ...(id !== undefined && { id }), data: JSON.parse(data) as unknown } as StreamEvent;
    }
  } finally {
    connection.close();
  }
}

/** One connection: aborted by the caller, or when the server is silent. */
class Connection {
  readonly #abort = new AbortController();
  readonly #outer: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted === true) this.#abort.abort(outer.reason);
    else outer?.addEventListener("abort", this.#aborted, { once: true });
    this.alive();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  alive(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abort.abort(new Error("the server is silent")), silentMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#aborted);
    this.#abort.abort();
  }

  readonly #aborted = (): void => this.#abort.abort(this.#outer?.reason);
}
