import { fail } from "../base/index.ts";

/** A page stops early when its records reach this size, so that a thousand large ones do not fill the memory. */
export const maxPageSize: number = 8 * 1024 * 1024;

/** Where a page ends: the last record's time, and its number among those of the same time. */
export interface PagePosition {
  readonly createdAt: number;
  readonly number: number;
}

/** How many records a page may hold: 100 where nothing is asked for, from 1 to 1,000. */
export function pageLimit(limit: number | undefined): number {
  if (limit === undefined || Number.isNaN(limit)) return 100;
  return Math.min(1000, Math.max(1, Math.trunc(limit)));
}

/** A position as callers see it: text without a meaning of its own. */
export function toCursor(position: PagePosition): string {
  return Buffer.from(JSON.stringify([position.createdAt, position.number])).toString("base64url");
}

/** The position that a cursor tells of; fails on anything that {@link toCursor} did not make. */
export function fromCursor(cursor: string): PagePosition {
  const parts = parsed(cursor);
  if (Array.isArray(parts) && parts.length === 2) {
    const [createdAt, number] = parts as unknown[];
    if (Number.isFinite(createdAt) && Number.isSafeInteger(number)) {
      // Both were just found to be numbers.
      return { createdAt: createdAt as number, number: number as number };
    }
  }
  throw fail("`cursor` must be the `next` of an earlier page of the same store", {
    code: "validation_error",
    reason: "bad_cursor",
  });
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return undefined;
  }
}
