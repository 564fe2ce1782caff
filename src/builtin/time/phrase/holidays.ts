import { quoteText } from "../../../text/index.ts";
import { type Meaning, Unclear } from "./token.ts";

/** Holidays with a fixed date. Phrases are separated by bars, words by blanks. */
const fixed: readonly (readonly [month: number, day: number, english: string, chinese: string])[] = [
  [1, 1, "new year s day|new years day|new year day", "元旦 元旦节 元旦日"],
  [2, 14, "valentine s day|valentines day|valentine day", "情人节"],
  [3, 8, "women s day|womens day|international women s day", "妇女节 三八节 三八妇女节"],
  [4, 1, "april fools day|april fool s day|april fools", "愚人节"],
  [5, 1, "may day", "劳动节 五一节 五一劳动节"],
  [5, 4, "", "青年节 五四青年节"],
  [6, 1, "", "儿童节 六一节 六一儿童节"],
  [8, 1, "", "建军节 八一建军节"],
  [9, 10, "", "教师节"],
  [10, 1, "", "国庆节 国庆 国庆日"],
  [10, 31, "halloween", ""],
  [11, 11, "", "双十一 双11 光棍节"],
  [12, 24, "christmas eve|xmas eve", "平安夜 圣诞夜"],
  [12, 25, "christmas day|christmas|xmas day|xmas", "圣诞节 圣诞"],
  [12, 26, "boxing day", ""],
  [12, 31, "new year s eve|new years eve|new year eve", "跨年夜"],
];

/** Holidays that are named by their dates; before a unit these are only numbers. */
const byNumber: Readonly<Record<string, readonly [month: number, day: number]>> = {
  五一: [5, 1],
  六一: [6, 1],
  十一: [10, 1],
};

const moon = "has a different date every year (it follows the moon); pass the date instead";
const elsewhere = "has a different date in another year or country; pass the date instead";
const daysOff = "is set every year; pass its first and last day instead";
const season = "depends on the hemisphere; pass the months instead";

/** Names without a fixed date, and the reason. */
const unfit: readonly (readonly [why: string, english: string, chinese: string])[] = [
  [
    moon,
    "chinese new year|lunar new year|spring festival|lantern festival|dragon boat festival|mid autumn festival|mid autumn|" +
      "ramadan|eid|diwali|hanukkah|passover|easter|good friday|pentecost",
    "春节 过年 农历新年 大年初一 除夕 大年三十 元宵节 元宵 端午节 端午 七夕 七夕节 中秋节 中秋 重阳节 农历 阴历 正月 腊月 复活节",
  ],
  [
    elsewhere,
    "thanksgiving|black friday|labor day|labour day|mother s day|mothers day|father s day|fathers day|independence day|" +
      "national day|memorial day|bank holiday",
    "感恩节 母亲节 父亲节 清明节 清明 冬至 黑色星期五",
  ],
  [daysOff, "golden week", "国庆期间 国庆假期 国庆长假 十一假期 十一长假 五一假期 五一长假 春节期间 春节假期 黄金周"],
  [season, "spring|summer|autumn|fall|winter", "春天 夏天 秋天 冬天 春季 夏季 秋季 冬季"],
];

type Entry<T> = readonly [words: string, value: T];

function each<T>(entries: readonly Entry<T>[], by: string): [string, T][] {
  return entries.flatMap(([words, value]) =>
    words.split(by).flatMap((word): [string, T][] => (word === "" ? [] : [[word, value]])),
  );
}

function dateOfYear(month: number, day: number): Meaning {
  return [{ kind: "date", year: undefined, month, day }];
}

/** English phrases and Chinese words for days of the year. */
export const englishHolidays: readonly (readonly [phrase: string, meaning: Meaning])[] = each(
  fixed.map(([month, day, english]) => [english, dateOfYear(month, day)] as const),
  "|",
);
export const chineseHolidays: readonly (readonly [word: string, meaning: Meaning])[] = each(
  fixed.map(([month, day, , chinese]) => [chinese, dateOfYear(month, day)] as const),
  " ",
);

const refusals: ReadonlyMap<string, string> = new Map([
  ...each(
    unfit.map(([why, english]) => [english, why] as const),
    "|",
  ),
  ...each(
    unfit.map(([why, , chinese]) => [chinese, why] as const),
    " ",
  ),
]);

/** Throws for a name without a fixed date, with the reason. */
export function refuseUnfit(name: string): void {
  const why = refusals.get(name);
  if (why !== undefined) throw new Unclear(`${quoteText(name)} ${why}`);
}

/** Characters that make a written number a count or a date. */
const counted = /^[零一二三四五六七八九十百千〇\d年月日号点时分秒个天周星礼季小钟刻世]/;

/** Reads 五一, 十一; undefined if the following text makes it a number. */
export function holidayByNumber(numeral: string, following: string): Meaning | undefined {
  const date = Object.hasOwn(byNumber, numeral) && !counted.test(following) ? byNumber[numeral] : undefined;
  return date === undefined ? undefined : dateOfYear(...date);
}
