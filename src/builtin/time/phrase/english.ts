import { monthNames, weekdayNames } from "../calendar.ts";
import {
  dayParts,
  type Mark,
  type Meaning,
  type Token,
  type Unit,
  createMark,
  createNumber,
  createShift,
  createThird,
  createUnit,
} from "./token.ts";
import { englishHolidays } from "./holidays.ts";

/** Maximum number of words of a phrase. */
export const maxEnglishPhraseLength = 4;

const marks: Partial<Record<Mark, string>> = {
  filler: "the of on at during over for whole entire all calendar iso s|month of",
  in: "in",
  since: "since from starting beginning|starting from|ever since",
  onward: "onward onwards earlier|so far|to date|till date|and later|or later",
  to: "to until till through thru|up to|up until",
  within: "within",
  rest: "later remaining|rest of|remainder of",
  week_of: "|week of|week beginning|week starting|week commencing",
  half_more: "|and a half",
  between: "between",
  and: "and &",
  before: "before|prior to|earlier than",
  after: "after|later than",
  ago: "ago back",
  hence: "hence",
  now: "now|right now",
  recent: "recently recent lately|these days",
  ever: "ever always anytime|all time|any time|all dates|beginning of time",
};

const units: Record<Unit, string> = {
  second: "second seconds sec secs",
  minute: "minute minutes min mins m",
  hour: "hour hours hr hrs h",
  day: "day days d",
  week: "week weeks wk wks w",
  month: "month months mo mos",
  quarter: "quarter quarters qtr",
  year: "year years yr yrs y",
};

const numbers =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
  "eighteen nineteen twenty";
const more: readonly (readonly [words: string, value: number])[] = [
  ["a an", 1],
  ["thirty", 30],
  ["forty", 40],
  ["fifty", 50],
  ["sixty", 60],
  ["ninety", 90],
  ["hundred|a hundred", 100],
  ["couple|a couple", 2],
  ["few several|a few", 3],
  ["half|half a|half an", 0.5],
];

const shifts: readonly (readonly [words: string, by: number, rolling: boolean])[] = [
  ["last previous prior preceding", -1, false],
  ["this current these", 0, false],
  ["next following", 1, false],
  ["past trailing", -1, true],
  ["coming upcoming", 1, true],
];

const others: readonly Entry[] = [
  ["today", [{ kind: "day", offset: 0 }]],
  ["yesterday", [{ kind: "day", offset: -1 }]],
  ["tomorrow", [{ kind: "day", offset: 1 }]],
  ["|day before yesterday", [{ kind: "day", offset: -2 }]],
  ["|day after tomorrow", [{ kind: "day", offset: 2 }]],
  ["tonight", [{ kind: "day", offset: 0 }, dayParts.night]],
  ["morning", [dayParts.morning]],
  ["afternoon", [dayParts.afternoon]],
  ["evening", [dayParts.evening]],
  ["night", [dayParts.night]],
  ["noon", [{ kind: "clock", ms: 43_200_000, unit: "hour" }]],
  ["am|a m", [{ kind: "meridiem", afternoon: false }]],
  ["pm|p m", [{ kind: "meridiem", afternoon: true }]],
  ["weekend", [{ kind: "weekend" }]],
  ["midnight", [{ kind: "clock", ms: 0, unit: "hour" }]],
  ["|night before last", [{ kind: "day", offset: -2 }, dayParts.night]],
  ["|late night", [dayParts.lateNight]],
  // Not of a year.
  ["|quarter of an hour|quarters of an hour|quarter hour|quarter hours", [createUnit("minute", { times: 15 })]],
  ["fortnight fortnights", [createUnit("week", { times: 2 })]],
  ["decade decades", [createUnit("year", { times: 10 })]],
  ["early", [createThird(1, "third")]],
  ["|beginning of|start of", [createThird(1, "edge")]],
  ["mid", [createThird(2, "third")]],
  ["|middle of", [createThird(2, "edge")]],
  ["late", [createThird(3, "third")]],
  ["|end of", [createThird(3, "edge")]],
  ["first", [createNumber(1, { ordinal: true })]],
  ["third", [createNumber(3, { ordinal: true })]],
  ["fourth", [createNumber(4, { ordinal: true })]],
  // Alone, a second is a unit.
  ["|second quarter", [{ kind: "quarter", number: 2 }]],
  ["|first half", [{ kind: "half", number: 1 }]],
  ["|second half", [{ kind: "half", number: 2 }]],
];

/** The meaning of every English word and phrase; the words of a phrase are separated by one space. */
export const english: ReadonlyMap<string, Meaning> = new Map([
  ...others.flatMap(([words, meaning]) => every(words, meaning)),
  ...englishHolidays,
  ...Object.entries(marks).flatMap(([name, words]) => every(words, [createMark(name as Mark)])),
  ...Object.entries(units).flatMap(([name, words]) => every(words, [createUnit(name as Unit)])),
  ...numbers.split(" ").map((word, value): Entry => [word, [createNumber(value)]]),
  ...more.flatMap(([words, value]) => every(words, [createNumber(value)])),
  ...shifts.flatMap(([words, by, rolling]) => every(words, [createShift(by, { rolling })])),
  ...named("weekday", weekdayNames, { tue: ["tues"], wed: ["weds"], thu: ["thur", "thurs"] }),
  ...named("month", monthNames, { sep: ["sept"] }),
  ...aroundLast(),
]);

type Entry = readonly [word: string, meaning: Meaning];

/** Words are separated by spaces, phrases by bars. */
function every(words: string, meaning: Meaning): Entry[] {
  const [single = "", ...phrases] = words.split("|");
  // A list that begins with a phrase has no single words.
  return [...single.split(" "), ...phrases].map((word) => [word, meaning]);
}

function named(
  kind: "weekday" | "month",
  names: readonly string[],
  also: Readonly<Record<string, readonly string[]>>,
): Entry[] {
  return names.flatMap((name, index) => {
    const token: Token = { kind, number: kind === "month" ? index + 1 : index };
    const full = name.toLowerCase();
    const short = full.slice(0, 3);
    return [full, short, ...(also[short] ?? [])].map((word): Entry => [word, [token]]);
  });
}

/** "week before last", "year to date", … */
function aroundLast(): Entry[] {
  const periods: readonly (readonly [string, Token])[] = [
    ["weekend", { kind: "weekend" }],
    ...(["week", "month", "quarter", "year"] as const).map((name) => [name, createUnit(name)] as const),
  ];
  return periods.flatMap(([name, token]): Entry[] => {
    const sinceItsStart: Meaning = [createShift(0), token, createMark("onward")];
    return [
      [`${name} before last`, [createShift(-2, { byWeek: true }), token]],
      [`${name} after next`, [createShift(2, { byWeek: true }), token]],
      [`${name} to date`, sinceItsStart],
      [`${name.slice(0, 1)}td`, sinceItsStart],
    ];
  });
}
