import type { SourceSpan } from "./expression-error.ts";
import { type EvaluationFrame, spendText } from "./evaluation-frame.ts";

/** Longer needles are searched with a linear worst case. */
const shortNeedle = 4;

/** Offset of the first occurrence of `needle` in the text from `from` on, or -1. */
export function findText(
  text: string,
  needle: string,
  { frame, span, from = 0 }: { readonly frame: EvaluationFrame; readonly span: SourceSpan; readonly from?: number },
): number {
  const isShort = needle.length <= shortNeedle;
  const found = isShort ? text.indexOf(needle, from) : searchLinear(text, needle, from);
  const searched = needle.length + (found === -1 ? text.length : found) - from;
  // One character of the linear search takes as long as four of `indexOf`.
  spendText(frame, isShort ? searched : 4 * searched, span);
  return found;
}

/**
 * Knuth, Morris and Pratt. `indexOf` of the engine takes time in the product of both lengths for needles such as
 * `baaa…a`, and both are untrusted here.
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

/** For each prefix of the needle, the length of its longest suffix that is also a prefix. */
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
