import { type Clock, fail, jsonText } from "../../base/index.ts";
import { type EventInbox, type StoredRun, maxInboxEvents } from "../../store/index.ts";

/** An event for a run, such as a payment. */
export interface EventRequest {
  /** A step of the run waits for an event of this name. */
  readonly name: string;
  /** JSON data: the output of that step. Default: null. */
  readonly data?: unknown;
  /** An event with the same name and id is delivered to a run once. Default: a new id. */
  readonly id?: string | undefined;
}

/** An event that a run has received. */
export interface DeliveredEvent {
  readonly runId: string;
  readonly name: string;
  readonly id: string;
  /** True if the run had received an event with this name and id before: nothing has changed. */
  readonly isRepeated: boolean;
}

/** Maximum size of the data of an event, as JSON. */
export const maxEventBytes: number = 256 * 1024;

const eventId = /^[\x21-\x7e]{1,200}$/;

/** Dependencies of {@link deliverEvent}. */
interface Delivery {
  readonly journal: Pick<EventInbox, "deliver">;
  readonly clock: Clock;
  readonly run: StoredRun;
  /** The names of the events that steps of the run wait for; undefined if that is known only at run time. */
  readonly awaited: ReadonlySet<string> | undefined;
  readonly newId: () => string;
}

/**
 * Delivers an event to a run. Durable when the promise resolves. Throws if no step of the run waits for such an event,
 * or if the run has ended.
 */
export async function deliverEvent({ name, data = null, id }: EventRequest, to: Delivery): Promise<DeliveredEvent> {
  const { journal, clock, run, awaited } = to;
  const runId = run.id;
  if (awaited?.has(name) === false) throw notAwaited(run, name, awaited);
  const event = { runId, id: checkEventId(id) ?? to.newId(), name, at: Math.floor(clock.now()), data: dataOf(data) };
  const delivery = await journal.deliver(event);
  switch (delivery) {
    case "delivered":
    case "repeated":
      return { runId, name, id: event.id, isRepeated: delivery === "repeated" };
    case "ended":
      throw fail(`run ${runId} has ended and takes no more events`, { code: "validation_error", reason: "run_ended" });
    case "full": {
      const message = `run ${runId} has received ${maxInboxEvents} events, which is the maximum`;
      throw fail(message, { code: "rejected", reason: "inbox_full", retry: "never" });
    }
    case "unknown":
      throw fail(`there is no run ${JSON.stringify(runId)}`, { code: "run_not_found" });
  }
}

function checkEventId(id: string | undefined): string | undefined {
  if (id === undefined || eventId.test(id)) return id;
  throw fail("an event id has 1 to 200 printable ASCII characters without blanks", {
    code: "validation_error",
    reason: "bad_event_id",
  });
}

function notAwaited({ id, name: chain }: StoredRun, name: string, awaited: ReadonlySet<string>): Error {
  const which = [...awaited].map((known) => JSON.stringify(known)).join(", ");
  const instead = awaited.size === 0 ? "it waits for no events" : `its steps wait for: ${which}`;
  const message = `no step of run ${id} (${chain}) waits for the event ${JSON.stringify(name.slice(0, 80))}; ${instead}`;
  return fail(message, { code: "validation_error", reason: "event_not_awaited" });
}

function dataOf(data: unknown): string {
  const json = jsonText(data);
  if ("problem" in json)
    throw fail(`the data of an event must be plain JSON; ${json.problem}`, { code: "validation_error" });
  if (Buffer.byteLength(json.text) <= maxEventBytes) return json.text;
  const message = `the data of an event may have at most ${maxEventBytes / 1024} KiB; store it elsewhere and send a reference`;
  throw fail(message, { code: "validation_error", reason: "event_too_large" });
}
