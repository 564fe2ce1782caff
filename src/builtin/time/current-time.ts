import { systemClock } from "../../base/index.ts";
import { dateOf, monthNames, weekdayNames, weekdayOf } from "./calendar.ts";
import { checkNow } from "./check-now.ts";
import { findZone, systemTimezone } from "./zone.ts";

/** The time and date in a zone. */
export interface CurrentTime {
  /** With the zone's offset: `2026-11-15T21:04:05.123+08:00`. */
  readonly iso: string;
  readonly epochMs: number;
  /** The IANA name, or an offset. */
  readonly timezone: string;
  /** `+08:00`. */
  readonly utcOffset: string;
  /** `2026-11-15`. */
  readonly date: string;
  /** `21:04:05`. */
  readonly time: string;
  /** `Sunday`. */
  readonly weekday: string;
  /** For people: `Sunday, 15 November 2026, 21:04:05 (Asia/Shanghai, UTC+08:00)`. */
  readonly human: string;
}

/** Zone and time. Default: the machine's zone and clock. */
export interface TimeOptions {
  readonly timezone?: string | undefined;
  /** Epoch milliseconds, or an ISO time, which without an offset is in the zone. */
  readonly now?: number | string | undefined;
}

/**
 * Returns the time in a zone.
 *
 * @example
 * ```ts
 * currentTime({ timezone: "Asia/Shanghai" }).iso; // "2026-11-15T21:04:05.123+08:00"
 * ```
 */
export function currentTime({ timezone = systemTimezone(), now = systemClock.now() }: TimeOptions = {}): CurrentTime {
  const zone = findZone(timezone);
  const epochMs = checkNow(now, zone);
  const shown = zone.wallClock(epochMs);
  const { year, month, day } = dateOf(shown.day);
  const utcOffset = showOffset(zone.offsetAt(epochMs));
  const weekday = weekdayNames[weekdayOf(shown.day)] ?? "";
  const date = `${year}-${two(month)}-${two(day)}`;
  const time = [3_600_000, 60_000, 1000]
    .map((unit, at) => two(Math.floor(shown.ms / unit) % (at === 0 ? 24 : 60)))
    .join(":");
  return {
    iso: `${date}T${time}.${String(shown.ms % 1000).padStart(3, "0")}${utcOffset}`,
    epochMs,
    timezone: zone.name,
    utcOffset,
    date,
    time,
    weekday,
    human: `${weekday}, ${day} ${monthNames[month - 1] ?? ""} ${year}, ${time} (${zoneLabel(zone.name, utcOffset)})`,
  };
}

/** Returns `Asia/Shanghai, UTC+08:00`; a zone that is an offset, or UTC itself, is not named twice. */
export function zoneLabel(zone: string, utcOffset: string): string {
  if (zone === "UTC" || zone === utcOffset) return zone === "UTC" ? zone : `UTC${utcOffset}`;
  return `${zone}, UTC${utcOffset}`;
}

/** Offsets of historical zones include seconds. */
function showOffset(offset: number): string {
  const seconds = Math.abs(offset) / 1000;
  const parts = [
    Math.floor(seconds / 3600),
    Math.floor(seconds / 60) % 60,
    ...(seconds % 60 > 0 ? [seconds % 60] : []),
  ];
  return (offset < 0 ? "-" : "+") + parts.map(two).join(":");
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
