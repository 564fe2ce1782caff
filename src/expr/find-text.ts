import type { Span } from "./expression-error.ts";
import { type Frame, spendText } from "./frame.ts";

/** Longer needles are searched for in a way whose worst case is linear. */
const shortNeedle = 4;

/** Where `needle` first occurs in the text from `from` on, or -1. */
export function findText(
  text: string,
  needle: string,
  { frame, span, from = 0 }: { readonly frame: Frame; readonly span: Span; readonly from?: number },
): number {
  const isShort = needle.length <= shortNeedle;
  const found = isShort ? text.indexOf(needle, from) : searchLinear(text, needle, from);
  const searched = needle.length + (found === -1 ? text.length : found) - from;
  // One character of the careful way takes as long as four of the other.
  spendText(frame, isShort ? searched : 4 * searched, span);
  return found;
}

/**
 * Knuth, Morris and Pratt. `indexOf` of the engine takes time in the product of both lengths for needles such as
 * `baaa…a`, and both are anyone's data here.
 */
function searchLinear(text: string, needle: string, from: number): number {
  const back = fallbacks(needle);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = back[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === unit) matched++;
    if (matched === needle.length) return at - matched + 1;
  }
  return -1;
}

/** For each start of the needle, how long its longest end is that is also a start. */
function fallbacks(needle: string): Uint32Array {
  const back = new Uint32Array(needle.length);
  let matched = 0;
  for (let at = 1; at < needle.length; at++) {
    const unit = needle.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = back[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === unit) matched++;
    back[at] = matched;
  }
  return back;
}
