import { fail, parseJson } from "../base/index.ts";

/**
 * A page of results ends early when its records reach this size, so that a thousand large ones do not fill the memory.
 */
export const maxPageSize: number = 8 * 1024 * 1024;

/** End of a page: the time of the last record, and its number among those with the same time. */
export interface PagePosition {
  readonly createdAt: number;
  readonly number: number;
}

/** Returns the maximum number of records of a page, or of runs in a list. Default: 100; from 1 to 1,000. */
export function pageLimit(limit: number | undefined): number {
  if (limit === undefined || Number.isNaN(limit)) return 100;
  return Math.min(1000, Math.max(1, Math.trunc(limit)));
}

/** Encodes a position as an opaque cursor. */
export function toCursor(position: PagePosition): string {
  return Buffer.from(JSON.stringify([position.createdAt, position.number])).toString("base64url");
}

/** Decodes a cursor; throws on anything that {@link toCursor} did not create. */
export function fromCursor(cursor: string): PagePosition {
  const parts = parseJson(Buffer.from(cursor, "base64url").toString());
  if (Array.isArray(parts) && parts.length === 2) {
    const [createdAt, number] = parts as unknown[];
    if (Number.isFinite(createdAt) && Number.isSafeInteger(number)) {
      // Both were just checked to be numbers.
      return { createdAt: createdAt as number, number: number as number };
    }
  }
  throw fail("`cursor` must be the `next` of an earlier page of the same store", {
    code: "validation_error",
    reason: "bad_cursor",
  });
}
