import { stripUnsafe } from "./untrusted-text.ts";

/** Converts text of any origin to one line. */
export function toOneLine(text: string): string {
  return stripUnsafe(text).replace(/\s+/gu, " ").trim();
}
