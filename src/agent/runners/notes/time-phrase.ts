/** A time phrase in a text. */
export interface TimePhrase {
  /** In the form that `get_time_range_ms` accepts. */
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
const year = "(?:19|20)\\d{2}";
const date = "\\d{4}[-/]\\d{1,2}[-/]\\d{1,2}";
const dated = `(?:${date}|${month}\\s+${dayOfMonth}(?:,?\\s+\\d{4})?|${dayOfMonth}\\s+(?:of\\s+)?${month}(?:,?\\s+\\d{4})?)`;
const shifted = `(?:last|past|previous|this)\\s+(?:${count}\\s+)?${units}|(?:last|this)\\s+(?:${weekday}|${month})`;
const day =
  "(?:the\\s+)?day\\s+before\\s+yesterday|yesterday|today|tonight|this\\s+(?:morning|afternoon|evening)|last\\s+night";
/** Bounds of a time range: relative to now, and by the calendar. */
const fromNow = `(?:${date}|${shifted}|${day})`;
const byCalendar = `(?:${dated}|${shifted}|${day}|${weekday}|${month}(?:\\s+(?:of\\s+)?\\d{4})?|${year})`;

/** A range from one time to another. Two times that are only named together count as a range as well. */
const between = (moment: string): RegExp =>
  new RegExp(
    `\\b(?:between\\s+(?:the\\s+)?${moment}\\s+and\\s+(?:the\\s+)?${moment}|` +
      `(?:from\\s+|on\\s+)?${moment}(?:\\s+(?:to|until|till|through|and(?:\\s+on)?)\\s+|\\s*[–—~]\\s*|\\s+-\\s+)${moment})\\b`,
    "iu",
  );

const digits = "[\\d一二三四五六七八九十]{1,3}";
const dayZh = `(?:(?:(?:\\d{4}|[今去前])年)?${digits}月(?:${digits}[日号]|份)?|\\d{4}年|${date}|大?前天|昨[天日]|今[天日]|(?:[上这本]一?个?)?(?:周|星期|礼拜)[一二三四五六日天]|[上这本]一?个?(?:周|星期|礼拜|月))`;
/** 每周一 and 两周一次 do not name a day. */
const noCount = "(?<![每\\d一二两三四五六七八九十几])";
const betweenZh = new RegExp(
  `从?${noCount}${dayZh}\\s*(?:到|至|和|与|、|[-–—~～])\\s*(?:${dayZh}|${digits}[日号])(?:之间|期间)?`,
  "u",
);

/** Relative to now. */
const relative: readonly RegExp[] = [
  between(fromNow),
  new RegExp(`\\b(?:since|before)\\s+(?:the\\s+)?(?:${shifted}|${day}|${weekday})\\b`, "iu"),
  new RegExp(`\\b(?:${shifted}|${day}|${count}\\s+${units}\\s+ago|recently|lately)\\b`, "iu"),
  /(?:最近|过去|近)的?[\d一二两三四五六七八九十几半]{1,4}个?(?:分钟|小时|天|日|周|星期|礼拜|月|季度|年)/u,
  /[\d一二两三四五六七八九十几半]{1,4}个?(?:分钟|小时|天|周|星期|礼拜|月|年)(?:以?前|以?内|以来)/u,
  /(?:上|这|本)一?个?(?:周|星期|礼拜)[一二三四五六日天末]?|(?:上|这|本)一?个?(?:月|季度)(?:初|底|中旬)?|(?:今|去|前|大前)年(?:[一二三四五六七八九十\d]{1,3}月|上半年|下半年)?|本年/u,
  /[这前][几两三]天/u,
  /大?前天|昨[天日晚早夜]|今[天日晚早晨]|最近|近期|近来|月初|月底|年初|年底|周末/u,
];

/** Calendar times. A prompt may well be about such a time, and not about notes of that time. */
const absolute: readonly RegExp[] = [
  new RegExp(
    `\\b(?:from\\s+)?(?:${month}\\s+${dayOfMonth}\\s*(?:to|-|–)\\s*${dayOfMonth}|${dayOfMonth}\\s*(?:to|-|–)\\s*${dayOfMonth}\\s+${month})(?:,?\\s+\\d{4})?\\b`,
    "iu",
  ),
  new RegExp(`\\b(?:since|after|before|until)\\s+(?:the\\s+)?(?:${dated}|${month}(?:\\s+\\d{4})?|${year})\\b`, "iu"),
  new RegExp(`${noCount}${dayZh}(?:以来|[之以]?[前后])`, "u"),
  new RegExp(`\\b(?:on\\s+)?(?:the\\s+)?${dated}\\b`, "iu"),
  new RegExp(`\\b(?:on\\s+${weekday}|over\\s+the\\s+weekend)\\b`, "iu"),
  new RegExp(`\\b(?:in|during)\\s+(?:${month}(?:\\s+(?:of\\s+)?\\d{4})?|${year})\\b|\\b${month}\\s+\\d{4}\\b`, "iu"),
  /\bq[1-4](?:\s+(?:of\s+)?\d{4})\b/iu,
  /\d{4}年(?:[\d一二三四五六七八九十]{1,3}月(?:[\d一二三四五六七八九十]{1,3}[日号])?)?/u,
  /[\d一二三四五六七八九十]{1,3}月(?:[\d一二三四五六七八九十]{1,3}[日号]|份)?/u,
  new RegExp(`${noCount}(?<![到至])(?:周|星期|礼拜)[一二三四五六日天]`, "u"),
];
/** Matched before all others, because they contain two of them. */
const ranges: readonly RegExp[] = [between(byCalendar), betweenZh];

/** Future times: no note is from one. */
const ahead: readonly RegExp[] = [
  new RegExp(
    `\\b(?:the\\s+)?(?:day\\s+after\\s+tomorrow|tomorrow(?:\\s+(?:morning|afternoon|evening|night))?|(?:next|coming|upcoming)\\s+(?:(?:${count}\\s+)?${units}|${weekday}|${month}))(?:['’]s)?\\b`,
    "iu",
  ),
  /大?后天|明[天日晚早]|下{1,2}一?个?(?:周|星期|礼拜)[一二三四五六日天末]?|下{1,2}一?个?(?:月|季度)|[明后]年|未来[\d一二两三四五六七八九十几]{1,4}个?(?:天|日|周|星期|月|年)|[\d一二两三四五六七八九十几]{1,4}个?(?:天|周|星期|月|年)[之以]?后/u,
];

/** The prompt is about notes written, or things done, at a time. */
const aboutWriting =
  /\b(?:notes?|wrote|write|written|journal|diary|log|logged|meetings?|(?:did|was|were|have|had) (?:i|we)|(?:i|we) (?:did|was|were|had))\b|我[^。？！]{0,12}[了过]|[做干学看读]了|笔记|写|记|会议/iu;

/** Longer texts are not searched for times beyond this. */
const maxScannedChars = 2000;

/** The first time phrase in a text that limits it; undefined if there is none. */
export function timePhraseIn(text: string): TimePhrase | undefined {
  const seen = text.slice(0, maxScannedChars);
  return firstOf(seen, aboutWriting.test(seen) ? [...ranges, ...relative, ...absolute] : relative);
}

/** The first phrase for a future time in a text. */
export function futurePhraseIn(text: string): TimePhrase | undefined {
  return firstOf(text.slice(0, maxScannedChars), ahead);
}

function firstOf(text: string, patterns: readonly RegExp[]): TimePhrase | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text);
    if (found !== null) return { phrase: tidy(found[0]), start: found.index, end: found.index + found[0].length };
  }
  return undefined;
}

/** Normalizes a phrase for the time tool: two times that are only named together become a range. */
function tidy(found: string): string {
  const phrase = found
    .replace(/^(?:in|during|on|over|from)\s+|^从/iu, "")
    .replace(/(?:之间|期间)$|['’]s$/u, "")
    // 1日之前 alone would mean a day ago.
    .replace(/^(.*[日号])[之以]?前$/u, "早于$1")
    .replace(/^(.*[日号])[之以]?后$/u, "晚于$1")
    .replaceAll(/\s+/gu, " ");
  return /^between /iu.test(phrase)
    ? phrase
    : phrase.replace(/ and (?:on )?/iu, " to ").replace(/[和与、]|[-–—~～](?=\d+[月日号])/u, "到");
}

/** A text without its time phrase. */
export function withoutTime(text: string, { start, end }: TimePhrase): string {
  const before = text
    .slice(0, start)
    .replace(/\b(?:in|over|during|within|from|for|since)(?:\s+the)?\s*$/iu, "")
    .trimEnd();
  const after = text.slice(end).trimStart();
  const joined = /\p{Script=Han}$/u.test(before) || /^\p{Script=Han}|^[?!.,;:，。？！；：]/u.test(after) ? "" : " ";
  return `${before}${joined}${after}`.trim();
}
