import {
  dayParts,
  type Mark,
  type Meaning,
  type Token,
  createMark,
  createNumber,
  createShift,
  createThird,
  createUnit,
} from "./token.ts";
import { chineseHolidays } from "./holidays.ts";

/** Maximum length of a word. */
export const maxChineseWordLength = 5;

const marks: Partial<Record<Mark, string>> = {
  filler: "的 个 里 期间 在 于 整个 全年 全天 全月 为止 间 份",
  within: "内 以内 之内",
  rest: "余下 剩下 剩余",
  week_of: "那周 那一周 那个星期 所在周 所在的周",
  since: "从 自 自从 打从",
  onward: "以来 来 起 开始 迄今 至今",
  to: "到 至 直到 截至 截止 截止到",
  between: "介于",
  amid: "之间",
  and: "和 与 跟 及",
  before: "之前 以前 早于",
  front: "前",
  after: "之后 以后 后 晚于",
  now: "现在 目前 此刻 当前",
  recent: "近期 近来",
  ever: "有史以来 一直以来 一直 所有时间 全部时间 任何时间 任何时候 不限时间 时间不限 不限",
  day_of_month: "号",
  oclock: "点 时 点钟",
  minute_of_hour: "分",
};

const days: readonly (readonly [words: string, offset: number])[] = [
  ["大前天", -3],
  ["前天 前日", -2],
  ["昨天 昨日", -1],
  ["今天 今日 当天 当日 本日", 0],
  ["明天 明日", 1],
  ["后天", 2],
  ["大后天", 3],
];

const years: readonly (readonly [words: string, offset: number])[] = [
  ["大前年", -3],
  ["前年", -2],
  ["去年 上年 去年度 上年度", -1],
  ["今年 本年 当年 今年度 本年度", 0],
  ["明年 来年 下年 下年度", 1],
  ["后年", 2],
];

const units: readonly (readonly [words: string, token: Token])[] = [
  ["秒 秒钟", createUnit("second")],
  ["分钟", createUnit("minute")],
  ["刻 刻钟", createUnit("minute", { times: 15 })],
  ["小时 钟头", createUnit("hour")],
  ["天", createUnit("day")],
  ["日", createUnit("day", { names: true })],
  ["周 星期 礼拜", createUnit("week")],
  ["个月", createUnit("month")],
  ["月", createUnit("month", { names: true })],
  ["个季度", createUnit("quarter")],
  ["季度 季", createUnit("quarter", { names: true })],
  ["年 年度", createUnit("year", { names: true })],
];

const shifts: readonly (readonly [words: string, token: Token])[] = [
  ["上", createShift(-1, { byWeek: true })],
  ["本 这 当", createShift(0, { byWeek: true })],
  ["下", createShift(1, { byWeek: true })],
  ["最近 近 过去 过往 这些", createShift(-1, { rolling: true })],
  ["未来 接下来 今后 往后", createShift(1, { rolling: true })],
];

const parts: readonly (readonly [words: string, meaning: Meaning])[] = [
  ["凌晨", [dayParts.smallHours]],
  ["早上 早晨 上午 清晨", [dayParts.morning]],
  ["中午", [dayParts.noon]],
  ["下午 午后", [dayParts.afternoon]],
  ["傍晚 晚间", [dayParts.evening]],
  ["晚上 夜里 夜间", [dayParts.night]],
  ["深夜 半夜", [dayParts.lateNight]],
  ["今早 今晨", [{ kind: "day", offset: 0 }, dayParts.morning]],
  ["前晚", [{ kind: "day", offset: -2 }, dayParts.night]],
  ["昨早 昨晨", [{ kind: "day", offset: -1 }, dayParts.morning]],
  ["今晚 今夜", [{ kind: "day", offset: 0 }, dayParts.night]],
  ["昨晚 昨夜", [{ kind: "day", offset: -1 }, dayParts.night]],
  ["明早 明晨", [{ kind: "day", offset: 1 }, dayParts.morning]],
  ["明晚", [{ kind: "day", offset: 1 }, dayParts.night]],
  ["午夜", [{ kind: "clock", ms: 0, unit: "hour" }]],
  ["正午", [{ kind: "clock", ms: 43_200_000, unit: "hour" }]],
];

const others: readonly (readonly [words: string, meaning: Meaning])[] = [
  ["上半年", [{ kind: "half", number: 1 }]],
  ["下半年", [{ kind: "half", number: 2 }]],
  ["上旬", [createThird(1, "ten_days")]],
  ["中旬", [createThird(2, "ten_days")]],
  ["下旬", [createThird(3, "ten_days")]],
  ["初", [createThird(1, "edge")]],
  ["中 中期", [createThird(2, "edge")]],
  ["底 末", [createThird(3, "edge")]],
  ["周末", [{ kind: "weekend" }]],
  ["半", [createNumber(0.5)]],
  ["几 数", [createNumber(3)]],
];

/** The meaning of every Chinese word. */
export const chinese: ReadonlyMap<string, Meaning> = new Map(
  [
    ...Object.entries(marks).map(([name, words]) => [words, [createMark(name as Mark)]] as const),
    ...days.map(([words, offset]) => [words, [{ kind: "day", offset }]] as const),
    ...years.map(([words, offset]) => [words, [{ kind: "year", offset }]] as const),
    ...units.map(([words, token]) => [words, [token]] as const),
    ...shifts.map(([words, token]) => [words, [token]] as const),
    ...parts,
    ...others,
    ...weekdays(),
    ...chineseHolidays,
  ].flatMap(([words, meaning]: readonly [string, Meaning]) => words.split(" ").map((word) => [word, meaning] as const)),
);

function weekdays(): (readonly [words: string, meaning: Meaning])[] {
  return ["一", "二", "三", "四", "五", "六", "日", "天"].map((name, index) => [
    `周${name} 星期${name} 礼拜${name}`,
    [{ kind: "weekday", number: Math.min(index, 6) }],
  ]);
}

/** Pairs of a traditional character and its simplified form. */
const pairs =
  "週周 個个 過过 後后 號号 兩两 點点 這这 當当 內内 從从 開开 間间 時时 鐘钟 鍾钟 禮礼 來来 與与 為为 爲为 幾几 數数 現现 裡里 裏里 於于 淩凌 節节 國国 慶庆 勞劳 動动 婦妇 兒儿 師师 雙双 聖圣 誕诞 餘余 農农 曆历 陰阴 臘腊 親亲 長长 黃黄";
const simpler: ReadonlyMap<string, string> = new Map(pairs.split(" ").map((pair) => [pair.slice(0, 1), pair.slice(1)]));

/** Converts traditional characters to simplified ones, as far as they occur in time words. */
export function simplify(text: string): string {
  let result = "";
  for (const character of text) result += simpler.get(character) ?? character;
  return result;
}

const digits = "零一二三四五六七八九";
const powers: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };

/** True if this character may be part of a written number. */
export function isNumeral(character: string | undefined): boolean {
  return character !== undefined && (digitOf(character) >= 0 || Object.hasOwn(powers, character));
}

/** Reads 三, 十二, 二十, 一百零五, 二〇二五; undefined if it is not a number. */
export function readNumeral(text: string): { readonly value: number; readonly digits: number } | undefined {
  const characters = Array.from(text);
  if (!characters.some((character) => Object.hasOwn(powers, character))) {
    const isYear = characters.length > 1;
    if (text.length > 4) return undefined;
    return { value: Number(characters.map(digitOf).join("")), digits: isYear ? characters.length : 0 };
  }
  let value = 0;
  let pending: number | undefined;
  let last = Infinity;
  for (const character of characters) {
    const power = powers[character];
    if (power === undefined) {
      const digit = digitOf(character);
      // 零 is only a filler.
      if (digit !== 0 && pending !== undefined) return undefined;
      pending = digit === 0 ? undefined : digit;
    } else {
      // 十 alone is ten; the powers must decrease.
      if (power >= last) return undefined;
      value += (pending ?? 1) * power;
      pending = undefined;
      last = power;
    }
  }
  return { value: value + (pending ?? 0), digits: 0 };
}

function digitOf(character: string): number {
  if (character === "〇") return 0;
  return character === "两" ? 2 : digits.indexOf(character);
}
