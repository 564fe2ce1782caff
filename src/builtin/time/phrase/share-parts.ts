import { type PhraseParts, dayKeys, hasNoDay } from "./phrase-parts.ts";

/** Completes the two ends of a range with parts of each other: "March 5 to 10, 2025", 昨天9点到11点. */
export function shareParts(
  first: PhraseParts,
  last: PhraseParts,
): { readonly first: PhraseParts; readonly last: PhraseParts } {
  const sharedFirst = withDayFrom(withMonthFrom(withWeekFrom(first, last), last), last);
  const sharedLast = withPartFrom(withMonthFrom(withWeekFrom(last, sharedFirst), sharedFirst), first);
  return { first: withYearFrom(sharedFirst, sharedLast), last: yearOfFirst(sharedLast, sharedFirst) };
}

/** "Monday to Friday last week" */
function withWeekFrom(parts: PhraseParts, other: PhraseParts): PhraseParts {
  const isBare = parts.weekday !== undefined && countOfDayKeys(parts) === 1 && parts.lean === undefined;
  const { relative } = other;
  const isWeek = other.weekday !== undefined && relative?.unit === "week";
  return isBare && isWeek ? { ...parts, relative } : parts;
}

/** "March 5 to 10", 上个月5号到10号 */
function withMonthFrom(parts: PhraseParts, other: PhraseParts): PhraseParts {
  const isBare = parts.dayOfMonth !== undefined && countOfDayKeys(parts) === (parts.year === undefined ? 1 : 2);
  const isInMonth = other.month !== undefined || other.relative?.unit === "month";
  if (!isBare || other.dayOfMonth === undefined || !isInMonth) return parts;
  return { ...pick(other, ["month", "relative", "year", "yearOffset", "lean"]), ...parts };
}

/** "9:00 to 17:00 yesterday": a time of day on the other's day. */
function withDayFrom(parts: PhraseParts, other: PhraseParts): PhraseParts {
  if (parts.clock === undefined || !hasNoDay(parts) || other.clock === undefined) return parts;
  return { ...pick(other, [...dayKeys, "lean"]), ...parts };
}

/** 下午3点到5点 */
function withPartFrom(parts: PhraseParts, first: PhraseParts): PhraseParts {
  const isBare = parts.clock?.fixed === false && parts.part === undefined && hasNoDay(parts);
  return isBare && first.clock !== undefined ? { ...pick(first, ["part"]), ...parts } : parts;
}

/** "Nov to Feb 2025" begins in 2024. */
function withYearFrom(parts: PhraseParts, last: PhraseParts): PhraseParts {
  if (!needsYear(parts) || (last.year === undefined && last.yearOffset === undefined)) return parts;
  const isBefore = orderInYear(parts) <= orderInYear(last);
  const { year, yearOffset } = last;
  const back = isBefore ? 0 : 1;
  return {
    ...parts,
    ...(year !== undefined && { year: year - back }),
    ...(yearOffset !== undefined && { yearOffset: yearOffset - back }),
  };
}

/** 2025年3月到5月; "Nov 2024 to Feb" ends in the year after. */
function yearOfFirst(parts: PhraseParts, first: PhraseParts): PhraseParts {
  const { year, yearOffset, relative } = first;
  const offset = yearOffset ?? (relative?.unit === "year" ? relative.offset : undefined);
  if (!needsYear(parts) || (year === undefined && offset === undefined)) return parts;
  const on = orderInYear(first) <= orderInYear(parts) ? 0 : 1;
  return {
    ...parts,
    ...(year !== undefined && { year: year + on }),
    ...(year === undefined && offset !== undefined && { yearOffset: offset + on }),
  };
}

/** True if it names a part of a year, and no year. */
function needsYear(parts: PhraseParts): boolean {
  const isPart = (parts.month ?? parts.quarter ?? parts.half ?? parts.isoWeek) !== undefined;
  const { year, yearOffset, relative, day, lean } = parts;
  return isPart && [year, yearOffset, relative, day, lean].every((text) => text === undefined);
}

/** Returns roughly the day of the year. */
function orderInYear({ half, quarter, month, isoWeek, dayOfMonth = 1, third }: PhraseParts): number {
  if (half !== undefined) return (half - 1) * 186;
  if (quarter !== undefined) return (quarter - 1) * 93;
  if (isoWeek !== undefined) return isoWeek * 7;
  return ((month ?? 1) - 1) * 31 + dayOfMonth + ((third?.number ?? 1) - 1) * 10;
}

function countOfDayKeys(parts: PhraseParts): number {
  return dayKeys.filter((key) => parts[key] !== undefined).length;
}

/** Returns those of the parts that are set. */
function pick(parts: PhraseParts, keys: readonly (keyof PhraseParts)[]): PhraseParts {
  return Object.fromEntries(keys.filter((key) => parts[key] !== undefined).map((key) => [key, parts[key]]));
}
