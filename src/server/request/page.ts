import { refusal } from "./handler.ts";

/** Query parameters of a list. */
interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** Part of a list on the wire. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

const defaultLimit = 50;

/** A page of a list that is ordered by a key. The cursor is the key of the last item, so that paging survives changes. */
export function pageOf<T>(
  all: readonly T[],
  { limit = defaultLimit, cursor }: PageQuery,
  keyOf: (item: T) => string,
): Page<T> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const start = after === undefined ? 0 : all.findIndex((item) => keyOf(item) > after);
  const items = start === -1 ? [] : all.slice(start, start + limit);
  const last = items.at(-1);
  const isLast = start === -1 || start + limit >= all.length;
  return { items, next_cursor: isLast || last === undefined ? null : encodeCursor(keyOf(last)) };
}

export function encodeCursor(key: string): string {
  return Buffer.from(key).toString("base64url");
}

export function decodeCursor(cursor: string): string {
  if (!/^[\w-]+$/.test(cursor)) throw refusal("bad_request", "the cursor is not one that a list returned");
  return Buffer.from(cursor, "base64url").toString("utf8");
}
