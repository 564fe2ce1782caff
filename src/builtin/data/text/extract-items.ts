/** Kinds of items that can be extracted without a pattern. */
export const extractKinds = ["emails", "urls", "numbers", "dates"] as const;

/** One of {@link extractKinds}. */
export type ExtractKind = (typeof extractKinds)[number];

// The lookbehinds keep each pattern from being tried inside text that it already refused, so it stays linear.
const email = /(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])/g;
const url = /(?<![A-Za-z0-9])(?:https?:\/\/|www\.)[^\s<>"'`{}|\\^\u3000-\u303f\u3400-\u9fff\uff00-\uffef“”‘’]+/gi;
/** Not inside words, versions, dates or times; more than 15 digits are an id and not a quantity. */
const number =
  /(?<![\w.:/]|[A-Za-z]-|\d{4}-|\d-\d{1,2}-)-?(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,15})?(?:e[+-]?\d{1,3})?(?!\w|[.:/]\d|-\d{1,2}-\d)/gi;

/** Iterates over all items of this kind, in the order of the text. */
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

/** Full stops, and brackets that are not opened in the address, belong to the sentence around it. */
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

/** Returns how many more brackets are closed than opened. */
function surplus(text: string, open: string, close: string): number {
  return text.split(close).length - text.split(open).length;
}

/** A date as written in a text. */
interface ParsedDate {
  readonly text: string;
  /** `YYYY-MM-DD`; undefined if day and month are ambiguous. */
  readonly date?: string;
}

const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const month = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\\.?";
const before = "(?<![0-9A-Za-z])";
const after = "(?![0-9A-Za-z])";

// Names of groups may repeat, since only one alternative matches.
const anyDate = new RegExp(
  [
    String.raw`${before}(?<y>\d{4})(?<s>[-/.])(?<m>\d{1,2})\k<s>(?<d>\d{1,2})(?:(?=T\d)|${after})`,
    String.raw`(?<!\d)(?<y>\d{4}) ?\u5e74 ?(?<m>\d{1,2}) ?\u6708 ?(?<d>\d{1,2}) ?[\u65e5\u53f7]`,
    String.raw`${before}(?<d>\d{1,2})(?:st|nd|rd|th)? (?<m>${month}),? (?<y>\d{4})${after}`,
    String.raw`${before}(?<m>${month}) (?<d>\d{1,2})(?:st|nd|rd|th)?,? (?<y>\d{4})${after}`,
    String.raw`${before}(?<a>\d{1,2})(?<s>[-/.])(?<b>\d{1,2})\k<s>(?<y>\d{4})${after}`,
  ].join("|"),
  "gi",
);

/** Iterates over the dates of a text: 2024-05-01, 2024/5/1, 2024年5月1日, 1 May 2024, May 1, 2024, 25/12/2024. */
function* findDates(text: string): Generator<ParsedDate, void, undefined> {
  for (const { 0: found, groups = {} } of text.matchAll(anyDate)) {
    const date = dateOf(groups);
    if (date !== undefined) yield { text: found, ...(date !== "" && { date }) };
  }
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Returns the date in digits, empty if it is ambiguous, `undefined` if there is no such day. */
function dateOf({ y = "", m, d, a, b }: Groups): string | undefined {
  if (m !== undefined) return iso(Number(y), monthOf(m), Number(d));
  const dayFirst = iso(Number(y), Number(b), Number(a));
  const monthFirst = iso(Number(y), Number(a), Number(b));
  if (dayFirst !== undefined && monthFirst !== undefined && dayFirst !== monthFirst) return "";
  return dayFirst ?? monthFirst;
}

function monthOf(text: string): number {
  return /^\d/.test(text) ? Number(text) : monthNames.indexOf(text.slice(0, 3).toLowerCase()) + 1;
}

function iso(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  // Date interprets a year below 100 differently, and no text means it.
  if (year < 100 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.toISOString().slice(0, 10);
}
