/** Words for a time in a text. */
export interface TimePhrase {
  /** As `getTimeRangeMs` takes it. */
  readonly phrase: string;
  readonly start: number;
  readonly end: number;
}

const count =
  "(?:\\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a\\s+)?few|(?:a\\s+)?couple(?:\\s+of)?|several)";
const units = "(?:minutes?|hours?|days?|weeks?|months?|quarters?|years?|weekends?|fortnights?|decades?)";
const weekday = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
const month = "(?:january|february|march|april|may|june|july|august|september|october|november|december)";
const dayOfMonth = "\\d{1,2}(?:st|nd|rd|th)?";
const date = "\\d{4}-\\d{2}-\\d{2}";
const shifted = `(?:last|past|previous|this)\\s+(?:${count}\\s+)?${units}|(?:last|this)\\s+(?:${weekday}|${month})`;
const day =
  "(?:the\\s+)?day\\s+before\\s+yesterday|yesterday|today|tonight|this\\s+(?:morning|afternoon|evening)|last\\s+night";

/** Counted from now. */
const relative: readonly RegExp[] = [
  new RegExp(`\\b(?:since|before)\\s+(?:the\\s+)?(?:${shifted}|${day}|${weekday})\\b`, "iu"),
  new RegExp(`\\b(?:${shifted}|${day}|${count}\\s+${units}\\s+ago|recently|lately)\\b`, "iu"),
  /(?:最近|过去|近)的?[\d一二两三四五六七八九十几半]{1,4}个?(?:分钟|小时|天|日|周|星期|礼拜|月|季度|年)/u,
  /[\d一二两三四五六七八九十几半]{1,4}个?(?:分钟|小时|天|周|星期|礼拜|月|年)(?:以?前|以?内|以来)/u,
  /(?:上|这|本)一?个?(?:周|星期|礼拜)[一二三四五六日天末]?|(?:上|这|本)一?个?(?:月|季度)(?:初|底|中旬)?|(?:今|去|前|大前)年(?:[一二三四五六七八九十\d]{1,3}月|上半年|下半年)?|本年/u,
  /[这前][几两三]天/u,
  /大?前天|昨[天日晚早夜]|今[天日晚早晨]|最近|近期|近来|月初|月底|年初|年底|周末/u,
];

/** Named by the calendar. A question may well be about such a time, and not about notes of that time. */
const absolute: readonly RegExp[] = [
  new RegExp(`\\b${date}(?:\\s*(?:to|until|–|-)\\s*${date})?\\b`, "iu"),
  new RegExp(
    `\\b(?:on\\s+)?(?:the\\s+)?(?:${month}\\s+${dayOfMonth}|${dayOfMonth}\\s+(?:of\\s+)?${month})(?:,?\\s+\\d{4})?\\b`,
    "iu",
  ),
  new RegExp(`\\b(?:on\\s+${weekday}|over\\s+the\\s+weekend)\\b`, "iu"),
  new RegExp(`\\bbetween\\s+${month}(?:\\s+\\d{4})?\\s+and\\s+${month}(?:\\s+\\d{4})?\\b`, "iu"),
  new RegExp(
    `\\b(?:in|during|since)\\s+(?:${month}(?:\\s+(?:of\\s+)?\\d{4})?|(?:19|20)\\d{2})\\b|\\b${month}\\s+\\d{4}\\b`,
    "iu",
  ),
  /\bq[1-4](?:\s+(?:of\s+)?\d{4})\b/iu,
  /\d{4}年(?:[\d一二三四五六七八九十]{1,3}月(?:[\d一二三四五六七八九十]{1,3}[日号])?)?/u,
  /[\d一二三四五六七八九十]{1,3}月(?:[\d一二三四五六七八九十]{1,3}[日号]|份)?/u,
  // 每周一 and 两周一次 are no days.
  /(?<![每\d一二两三四五六七八九十几])(?:周|星期|礼拜)[一二三四五六日天]/u,
];

/** Somebody asks for what was written down, or done, at a time. */
const aboutWriting =
  /\b(?:notes?|wrote|write|written|journal|diary|log|logged|meetings?|(?:did|was|were|have|had) (?:i|we)|(?:i|we) (?:did|was|were|had))\b|我[^。？！]{0,12}[了过]|[做干学看读]了|笔记|写|记|会议/iu;

/** Times are looked for in so much of a text. */
const farthest = 2000;

/** The first words in a text that limit it to a time; undefined where there are none. */
export function timePhraseIn(text: string): TimePhrase | undefined {
  const seen = text.slice(0, farthest);
  const patterns = aboutWriting.test(seen) ? [...relative, ...absolute] : relative;
  for (const pattern of patterns) {
    const found = pattern.exec(seen);
    if (found === null) continue;
    const [whole] = found;
    const phrase = whole.replace(/^(?:in|during|on|over)\s+/i, "").replaceAll(/\s+/g, " ");
    return { phrase, start: found.index, end: found.index + whole.length };
  }
  return undefined;
}

/** A text without the words for a time in it. */
export function withoutTime(text: string, { start, end }: TimePhrase): string {
  const before = text
    .slice(0, start)
    .replace(/\b(?:in|over|during|within|from|for|since)(?:\s+the)?\s*$/iu, "")
    .trimEnd();
  const after = text.slice(end).trimStart();
  const joined = /\p{Script=Han}$/u.test(before) || /^\p{Script=Han}|^[?!.,;:，。？！；：]/u.test(after) ? "" : " ";
  return `${before}${joined}${after}`.trim();
}
