import { isRecord } from "../../schema/index.ts";

/** Of a record with more it says more to see that it is one. */
const mostPairs = 8;
/** Of one value. Whoever shows it cuts earlier. */
const longestValue = 1000;

/**
 * A flat record of a few values in the words of people: `path: hello.txt, bytes: 12`, with times as a clock on the wall
 * shows them. Undefined for whatever else.
 *
 * @param timezone Of the clock; where it is not known times are in UTC, and say so.
 */
export function inPairs(value: unknown, timezone: string | undefined): string | undefined {
  if (!isRecord(value)) return undefined;
  const pairs = Object.entries(value).filter(([, one]) => one !== undefined);
  const isFlat = pairs.every(([, one]) => one === null || scalars.has(typeof one));
  if (!isFlat || pairs.length === 0 || pairs.length > mostPairs) return undefined;
  return pairs.map(([key, one]) => `${key}: ${inWord(key, one, timezone)}`).join(", ");
}

const scalars: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

function inWord(key: string, value: unknown, timezone: string | undefined): string {
  if (typeof value === "number" && isTime(key, value)) return wallTime(value, timezone);
  const text = String(value).slice(0, longestValue).toWellFormed();
  return text.trim() === "" ? '""' : text;
}

/** Keys of instants, such as `startTime`, `created_at` and `timestamp`. */
const timeKey = /(?:At|_at|[Tt]ime(?:stamp|Ms|_ms)?|[Ee]pochMs|^(?:at|start|end))$/;

/** Milliseconds between 1973 and 2286: what is less could be anything. */
function isTime(key: string, value: number): boolean {
  return value >= 1e11 && value < 1e13 && Number.isInteger(value) && timeKey.test(key);
}

/** `2026-11-02 00:00`. */
function wallTime(at: number, timezone: string | undefined): string {
  const clock = timezone === undefined ? undefined : clockOf(timezone);
  if (clock === undefined) return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return clock.format(at);
}

/** Making one takes a hundred times as long as using it. A process has one zone, or very few. */
const clocks = new Map<string, Intl.DateTimeFormat | undefined>();

/** Undefined where there is no such zone. */
function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!clocks.has(timeZone)) clocks.set(timeZone, makeClock(timeZone));
  return clocks.get(timeZone);
}

function makeClock(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    // Swedes write years, months and days as ISO 8601 does.
    return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  } catch {
    return undefined;
  }
}
