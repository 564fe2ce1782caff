/**
 * Where a quoted value ends; the text's end where it was cut off. The closing quote has as many backslashes as the
 * opening one, or fewer: then an outer string ends. A quote inside the value has twice as many and one more, a backslash
 * of the value is twice the quote's length of them.
 */
export function quotedEnd(text: string, start: number, quote: string): number {
  const mark = quote.at(-1);
  let slashes = 0;
  for (let at = start; at < text.length; at++) {
    const own = slashes % (2 * quote.length);
    if (text[at] === mark && own < quote.length) return at - own;
    slashes = text[at] === "\\" ? slashes + 1 : 0;
  }
  return text.length;
}
