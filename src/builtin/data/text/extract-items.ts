import { findDates } from "./find-dates.ts";

/** What can be found in a text without a pattern. */
export const extractKinds = ["emails", "urls", "numbers", "dates"] as const;

/** One of {@link extractKinds}. */
export type ExtractKind = (typeof extractKinds)[number];

// The looks behind keep each pattern from being tried inside of what it already refused, and so linear.
const email = /(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])/g;
const url = /(?<![A-Za-z0-9])(?:https?:\/\/|www\.)[^\s<>"'`{}|\\^\u3000-\u303f\u3400-\u9fff\uff00-\uffef“”‘’]+/gi;
/** Not inside of words, versions, dates or times; more than 15 digits are an id and no quantity. */
const number =
  /(?<![\w.:/]|[A-Za-z]-|\d{4}-|\d-\d{1,2}-)-?(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,15})?(?:e[+-]?\d{1,3})?(?!\w|[.:/]\d|-\d{1,2}-\d)/gi;

/** Every item of this kind, in its order in the text. */
export function* extractItems(text: string, kind: ExtractKind): Generator<unknown, void, undefined> {
  switch (kind) {
    case "emails":
      for (const [found] of text.matchAll(email)) yield found;
      return;
    case "urls":
      for (const [found] of text.matchAll(url)) yield trimUrl(found);
      return;
    case "numbers":
      for (const value of numbersOf(text)) yield value;
      return;
    case "dates":
      yield* findDates(text);
  }
}

function* numbersOf(text: string): Generator<number, void, undefined> {
  for (const [found] of text.matchAll(number)) {
    const value = Number(found.replaceAll(",", ""));
    if (Number.isFinite(value)) yield value;
  }
}

/** Stops, and brackets that close nothing of the address, belong to the sentence around it. */
function trimUrl(found: string): string {
  const extra = { ")": surplus(found, "(", ")"), "]": surplus(found, "[", "]") };
  let end = found.length;
  for (; end > 0; end--) {
    const last = found[end - 1] ?? "";
    if (/[.,;:!?*_~]/.test(last)) continue;
    if ((last !== ")" && last !== "]") || extra[last] <= 0) break;
    extra[last]--;
  }
  return found.slice(0, end);
}

/** How many more brackets are closed than opened. */
function surplus(text: string, open: string, close: string): number {
  return text.split(close).length - text.split(open).length;
}
