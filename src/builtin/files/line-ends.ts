import type { Pace } from "../../file/index.ts";

/** So much of a text is looked at without a rest. */
const windowChars = 65_536;

/** How many line ends stand before this offset. */
export async function countLineEnds(text: string, before: number, pace: Pace): Promise<number> {
  let count = 0;
  for (let start = 0; start < before; start += windowChars) {
    const part = text.slice(start, Math.min(before, start + windowChars));
    for (let at = part.indexOf("\n"); at !== -1; at = part.indexOf("\n", at + 1)) count++;
    await pace.rest();
  }
  return count;
}

/** Where the line after so many line ends begins; the end of the text when it has fewer. */
export async function afterLineEnds(text: string, count: number, pace: Pace): Promise<number> {
  let left = count;
  for (let start = 0; start < text.length && left > 0; start += windowChars) {
    const part = text.slice(start, start + windowChars);
    for (let at = part.indexOf("\n"); at !== -1; at = part.indexOf("\n", at + 1)) {
      if (--left === 0) return start + at + 1;
    }
    await pace.rest();
  }
  return left === 0 ? 0 : text.length;
}

/** Do all lines end with CRLF, and is there one at all? */
export async function hasOnlyCrlf(text: string, pace: Pace): Promise<boolean> {
  if (!text.includes("\r\n")) return false;
  for (let start = 0; start < text.length; start += windowChars) {
    const part = text.slice(start, start + windowChars);
    for (let at = part.indexOf("\n"); at !== -1; at = part.indexOf("\n", at + 1)) {
      if (text[start + at - 1] !== "\r") return false;
    }
    await pace.rest();
  }
  return true;
}
