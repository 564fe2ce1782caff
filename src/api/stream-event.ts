import { streamEvents } from "./areas/events.ts";
import type { WireValue } from "./schemas.ts";

type StreamSchemas = typeof streamEvents;

/** The types of the events of `GET /v1/events`. */
export type StreamEventType = keyof StreamSchemas;

/** Types of events with an id: a client that has it receives exactly the events after it. */
type Numbered = "run" | "journal" | "approval" | "ready";

/**
 * One event of `GET /v1/events`. Events with an id are journaled: they are sent after their commit, in one order, and
 * are replayed after a reconnect. The others show the activity of this moment, and a snapshot replaces them after a
 * reconnect.
 */
export type StreamEvent = {
  readonly [Type in StreamEventType]: {
    readonly type: Type;
    readonly data: WireValue<StreamSchemas[Type]>;
  } & (Type extends Numbered ? { readonly id: string } : { readonly id?: undefined });
}[StreamEventType];

/** True for the name of an event of the stream; a newer server may send others. */
export function isStreamEventType(type: string): type is StreamEventType {
  return Object.hasOwn(streamEvents, type);
}

/** The topic of one run. */
export function runTopic(runId: string): `run:${string}` {
  return `run:${runId}`;
}

/** A topic of the stream. */
export type StreamTopic = "runs" | "approvals" | "calls" | "metrics" | `run:${string}`;

const topicPattern = /^(?:runs|approvals|calls|metrics|run:[A-Za-z0-9][A-Za-z0-9._-]{0,127})$/;

/** True for a topic of the stream. */
export function isStreamTopic(text: string): text is StreamTopic {
  return topicPattern.test(text);
}
