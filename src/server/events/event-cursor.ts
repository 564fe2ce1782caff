import type { FeedChange, FeedCursor, FeedPosition } from "../../store/index.ts";

/** The id of the event of a change; the same for all readers. */
export function idOf(feedId: string, { kind, position }: FeedChange): string {
  return kind === "event" ? `${feedId}.${position.event}` : toCursor(feedId, position);
}

/** The id of a position: the feed, the last journal event, and the last other change. */
export function toCursor(feedId: string, { event, change }: FeedPosition): string {
  return `${feedId}.${event}.${change}`;
}

/** The position of an id; undefined if it is of another feed. */
export function fromCursor(feedId: string, cursor: string): FeedCursor | undefined {
  const [id, event, change] = /^(.+?)\.(\d{1,15})(?:\.(\d{1,15}))?$/.exec(cursor)?.slice(1) ?? [];
  return id === feedId
    ? { event: Number(event), change: change === undefined ? undefined : Number(change) }
    : undefined;
}
