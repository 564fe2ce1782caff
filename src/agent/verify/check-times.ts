import { splitLinesAndSentences } from "./split-statements.ts";
import type { VerificationIssue } from "./verification.ts";

/** A date or time in a text, with its error. */
interface ParsedTime {
  readonly quote: string;
  readonly fault: string | undefined;
}

type Groups = Readonly<Record<string, string | undefined>>;

interface Form {
  readonly pattern: RegExp;
  readonly fault: (parts: Groups) => string | undefined;
}

const months = "January|February|March|April|May|June|July|August|September|October|November|December";

const forms: readonly Form[] = [
  {
    pattern: /(?<![\d/-])(?<year>\d{4})(?<separator>[-/])(?<month>\d{1,2})\k<separator>(?<day>\d{1,2})(?![\d/-])/g,
    fault: dateFault,
  },
  { pattern: /(?<year>\d{4})\s*年\s*(?<month>\d{1,2})\s*月(?:\s*(?<day>\d{1,2})\s*[日号])?/g, fault: dateFault },
  { pattern: /(?<![\d年个]\s*)(?<month>\d{1,2})\s*月\s*(?<day>\d{1,2})\s*[日号]/g, fault: dateFault },
  {
    pattern: new RegExp(
      `\\b(?<name>${months})\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?\\b(?![:\\d])(?:,?\\s+(?<year>\\d{4})\\b)?`,
      "g",
    ),
    fault: ({ name = "", ...parts }) => dateFault({ ...parts, month: String(months.split("|").indexOf(name) + 1) }),
  },
  {
    pattern:
      /(?<![\d:.])(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d+)?)?(?![\d:])(?:\s*(?<half>[ap]\.?m\b))?/gi,
    fault: clockFault,
  },
  { pattern: /(?<!\d)(?<hour>\d{1,2})\s*[点时]\s*(?<minute>\d{1,2})\s*分/g, fault: clockFault },
  { pattern: /(?<!\d)1\d{9}(?:\d{3})?(?!\d)/g, fault: () => undefined },
];

/** Two numbers with a colon between them that are not a time. */
const ratio = /\b(?:ratio|score|scored|odds|aspect|verse|won|lost|beat)\b|比分|比例|比为|经文/i;

/** Finds impossible dates and times; also reports a missing one if the result must be one. */
export function checkTimes(text: string, expectsTime: boolean): VerificationIssue[] {
  const found = splitLinesAndSentences(text).flatMap(timesIn);
  const issues = found.flatMap(({ quote, fault }) =>
    fault === undefined ? [] : [issue(quote, `"${quote}": ${fault}`)],
  );
  if (!expectsTime || found.length > 0) return issues;
  return [issue(text.slice(0, 60).toWellFormed(), "it has no date or time in a known format")];
}

function timesIn(sentence: string): ParsedTime[] {
  const isRatio = ratio.test(sentence);
  return forms.flatMap(({ pattern, fault }) => {
    if (isRatio && fault === clockFault) return [];
    return [...sentence.matchAll(pattern)].map((match) => ({ quote: match[0], fault: fault(match.groups ?? {}) }));
  });
}

function dateFault({ year, month = "1", day }: Groups): string | undefined {
  const number = Number(month);
  if (number < 1 || number > 12) return `there is no month ${month}`;
  if (day === undefined) return undefined;
  // Without a year, a leap year is possible.
  const last = new Date(Date.UTC(year === undefined ? 2000 : Number(year), number, 0)).getUTCDate();
  return Number(day) < 1 || Number(day) > last ? `that month has no day ${day}` : undefined;
}

function clockFault({ hour = "0", minute = "0", second = "0", half }: Groups): string | undefined {
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)];
  if (minutes > 59) return `an hour has no minute ${minute}`;
  if (seconds > 60) return `a minute has no second ${second}`;
  if (hours > 24 || (hours === 24 && minutes + seconds > 0)) return `a day has no hour ${hour}`;
  return half !== undefined && (hours === 0 || hours > 12) ? `no clock shows ${hour} ${half}` : undefined;
}

function issue(quote: string, message: string): VerificationIssue {
  return { kind: "time", severity: "error", message, quote };
}
