import type { Invocation } from "../../program/invocation.ts";
import { UsageError } from "../../program/usage-error.ts";

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** The period of the options `--since` and `--until`. */
export function periodIn({ text }: Pick<Invocation, "text">, now: number): { since?: number; until?: number } {
  const since = parseTimeOption("--since", text("since"), now);
  const until = parseTimeOption("--until", text("until"), now);
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

/** Parses a time option: a duration ago (`90s`, `30m`, `12h`, `7d`, `2w`), or a date. */
export function parseTimeOption(option: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const ago = durationOf(text);
  if (ago !== undefined) return now - ago;
  const at = parseDate(text.trim());
  if (at !== undefined) return at;
  throw new UsageError(
    `${option}: invalid time ${JSON.stringify(text)}`,
    "write a duration (30m, 12h, 7d, 2w) or a date (2026-11-15, 2026-11-15T08:30, 2026-11-15T08:30:00Z)",
  );
}

/** Milliseconds of a duration such as `90s`, `30m`, `12h`, `7d` or `2w`; undefined for another text. */
export function durationOf(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(text.trim());
  return match ? Number(match[1]) * (units[match[2] ?? ""] ?? 0) : undefined;
}

/** Parses ISO 8601; without a zone, in local time. */
function parseDate(text: string): number | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(text);
  if (!match) return undefined;
  const [, day = "", time = "00:00", zone = ""] = match;
  const date = new Date(`${day}T${time}${zone.toUpperCase()}`);
  const midnight = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || Number.isNaN(midnight.getTime())) return undefined;
  // A day that the month does not have would silently become another date.
  return midnight.toISOString().startsWith(day) ? date.getTime() : undefined;
}
