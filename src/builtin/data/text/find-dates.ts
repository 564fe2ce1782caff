/** A date as a text writes it. */
export interface FoundDate {
  readonly text: string;
  /** `YYYY-MM-DD`; absent where day and month could be either way round. */
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

/** The dates of a text: 2024-05-01, 2024/5/1, 2024年5月1日, 1 May 2024, May 1, 2024, 25/12/2024. */
export function* findDates(text: string): Generator<FoundDate, void, undefined> {
  for (const { 0: found, groups = {} } of text.matchAll(anyDate)) {
    const date = dateOf(groups);
    if (date !== undefined) yield { text: found, ...(date !== "" && { date }) };
  }
}

type Groups = Readonly<Record<string, string | undefined>>;

/** The date in digits, empty where it is not clear, `undefined` where there is no such day. */
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
  // A year below 100 means another one to Date, and no text means it.
  if (year < 100 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.toISOString().slice(0, 10);
}
