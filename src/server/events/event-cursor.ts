import type { FeedPosition } from "../../store/index.ts";

/** The id of an event: the feed, and the position after the event. */
export function toCursor(feedId: string, { event, change }: FeedPosition): string {
  return `${feedId}.${event}.${change}`;
}

/** The position of an id; undefined if it is of another feed. */
export function fromCursor(feedId: string, cursor: string): FeedPosition | undefined {
  const [id, event, change] = /^(.+)\.(\d{1,15})\.(\d{1,15})$/.exec(cursor)?.slice(1) ?? [];
  return id === feedId ? { event: Number(event), change: Number(change) } : undefined;
}
