import { quoteText, suggest } from "../../text/index.ts";
import { type Day, dayMs } from "./calendar.ts";
import { timeFailure } from "./time-reasons.ts";

/** Date and time of a wall clock. */
export interface WallClock {
  readonly day: Day;
  /** Milliseconds since midnight, as the clock shows it. */
  readonly ms: number;
}

/** A time zone: converts instants to wall-clock times, and back. */
export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;

  /** @internal Use {@link findZone}. */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    this.name = this.#format.resolvedOptions().timeZone;
  }

  /** Returns the offset from UTC at an instant, in milliseconds. */
  offsetAt(instant: number): number {
    const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of this.#format.formatToParts(instant)) shown[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
  }

  /** Returns the wall-clock time at an instant. */
  wallClock(instant: number): WallClock {
    const shown = instant + this.offsetAt(instant);
    const day = Math.floor(shown / dayMs);
    return { day, ms: shown - day * dayMs };
  }

  /**
   * Returns the first instant at which the clocks show this time, or, if they skip it, the instant of the jump. So the
   * end of one day is always the start of the next, even if the clocks change at midnight.
   */
  instantOf(day: Day, ms = 0): number {
    const shown = day * dayMs + ms;
    // No zone is a whole day away from UTC, so these are before and after the instant.
    const before = this.offsetAt(shown - dayMs);
    const after = this.offsetAt(shown + dayMs);
    const early = shown - Math.max(before, after);
    const late = shown - Math.min(before, after);
    if (this.offsetAt(early) === shown - early) return early;
    if (this.offsetAt(late) === shown - late) return late;
    return this.#jump(early, late, after);
  }

  /** Returns the first instant in between at which the clocks are `offset` ahead of UTC. */
  #jump(early: number, late: number, offset: number): number {
    let low = early;
    let high = late;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offsetAt(middle) === offset) high = middle;
      else low = middle;
    }
    return high;
  }
}

/** Creating a zone costs a hundred times what using one does; a caller may name any number of them. */
const known = new Map<string, Zone>();
const maxKnown = 64;
/** The longest names of zones have 38 characters. */
const maxNameLength = 64;

/** Returns the zone of this name: an IANA name such as `Asia/Shanghai`, or an offset such as `+08:00` or `UTC+8`. */
export function findZone(name: string): Zone {
  const found = known.get(name);
  if (found !== undefined) return found;
  const zone = makeZone(name);
  if (known.size >= maxKnown) known.clear();
  known.set(name, zone);
  return zone;
}

/** Returns the zone of the machine. */
export function systemTimezone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function makeZone(name: string): Zone {
  const plain = name.trim();
  try {
    if (plain.length <= maxNameLength) return new Zone(offsetName(plain) ?? plain);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const near = plain.length <= maxNameLength ? suggest(plain, Intl.supportedValuesOf("timeZone")) : undefined;
  const hint = near === undefined ? "." : `; did you mean ${JSON.stringify(near)}?`;
  throw timeFailure(
    "bad_timezone",
    `there is no time zone ${quoteText(plain, maxNameLength)}${hint} ` +
      'Use an IANA name such as "Europe/Berlin" or "Asia/Shanghai", or an offset such as "+08:00"',
    { parameter: "timezone" },
  );
}

/** Normalizes `UTC+8`, `GMT-3:30`, `+8` to `+08:00`, … */
function offsetName(name: string): string | undefined {
  const parts = /^(?:utc|gmt)?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(name);
  if (parts === null) return undefined;
  const [, sign = "+", hours = "", minutes = "00"] = parts;
  return `${sign}${hours.padStart(2, "0")}:${minutes}`;
}
