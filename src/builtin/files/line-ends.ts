import type { EventLoopYielder } from "../../base/index.ts";

/** Number of characters that are scanned before the event loop gets its turn. */
const windowChars = 65_536;

/** Returns the number of line ends before this offset. */
export async function countLineEnds(text: string, before: number, yielder: EventLoopYielder): Promise<number> {
  let count = 0;
  for (let start = 0; start < before; start += windowChars) {
    const part = text.slice(start, Math.min(before, start + windowChars));
    for (let at = part.indexOf("\n"); at !== -1; at = part.indexOf("\n", at + 1)) count++;
    await yielder.yieldIfDue();
  }
  return count;
}

/** Returns the start of the line after this many line ends, or the end of the text if it has fewer. */
export async function afterLineEnds(text: string, count: number, yielder: EventLoopYielder): Promise<number> {
  let left = count;
  for (let start = 0; start < text.length && left > 0; start += windowChars) {
    const part = text.slice(start, start + windowChars);
    for (let at = part.indexOf("\n"); at !== -1; at = part.indexOf("\n", at + 1)) {
      if (--left === 0) return start + at + 1;
    }
    await yielder.yieldIfDue();
  }
  return left === 0 ? 0 : text.length;
}

/** True if there are lines, and all end with CRLF. */
export async function hasOnlyCrlf(text: string, yielder: EventLoopYielder): Promise<boolean> {
  if (!text.includes("\r\n")) return false;
  for (let start = 0; start < text.length; start += windowChars) {
    const part = text.slice(start, start + windowChars);
    for (let at = part.indexOf("\n"); at !== -1; at = part.indexOf("\n", at + 1)) {
      if (text[start + at - 1] !== "\r") return false;
    }
    await yielder.yieldIfDue();
  }
  return true;
}
