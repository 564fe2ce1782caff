import { plainJsonSize, orElse } from "../../base/index.ts";
import { formatResult } from "../../hub/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import type { AgentRun } from "./agent-run.ts";
import { isRecord } from "../../schema/index.ts";

const maxLength = 200;
/** Larger results are not searched for a short summary. */
const maxRead = 1_000_000;

/**
 * A short summary of a call's result, for people. Secrets are redacted before anything is cut: a part of a secret is
 * not recognized.
 */
export function summarizeResult(run: AgentRun, result: ToolResult): string {
  if (!result.success) return cutText(stripUnsafe(String(run.redacted(result.error.message))), maxLength).text;
  const { output } = result;
  const isText = typeof output === "string";
  if (!isText && plainJsonSize(output, maxRead) === Infinity) return `more than ${maxRead} characters of JSON`;
  const shown = run.redacted(isText ? output.slice(0, maxRead) : output);
  const words = formatPairs(shown, run.timezone) ?? shown;
  return formatResult({ ...result, output: words }, "other", { other: maxLength }).text.replaceAll(/\s+/g, " ");
}

/** A record with more pairs is shown as JSON. */
const maxPairs = 8;
/** Maximum length of one value. Views cut it further. */
const maxValueLength = 1000;

/**
 * Formats a flat record of a few values for people: `path: hello.txt, bytes: 12`, with local times. Undefined for any
 * other value.
 *
 * @param timezone Time zone for times; if unknown, times are in UTC and marked so.
 */
export function formatPairs(value: unknown, timezone: string | undefined): string | undefined {
  if (!isRecord(value)) return undefined;
  const pairs = Object.entries(value).filter(([, one]) => one !== undefined);
  const isFlat = pairs.every(([, one]) => one === null || scalars.has(typeof one));
  if (!isFlat || pairs.length === 0 || pairs.length > maxPairs) return undefined;
  return pairs.map(([key, one]) => `${key}: ${inWord(key, one, timezone)}`).join(", ");
}

const scalars: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

function inWord(key: string, value: unknown, timezone: string | undefined): string {
  if (typeof value === "number" && isTime(key, value)) return wallTime(value, timezone);
  const text = String(value).slice(0, maxValueLength).toWellFormed();
  return text.trim() === "" ? '""' : text;
}

/** Keys of instants, such as `startTime`, `created_at` and `timestamp`. */
const timeKey = /(?:At|_at|[Tt]ime(?:stamp|Ms|_ms)?|[Ee]pochMs|^(?:at|start|end))$/;

/** Milliseconds between 1973 and 2286: smaller numbers could mean anything. */
function isTime(key: string, value: number): boolean {
  return value >= 1e11 && value < 1e13 && Number.isInteger(value) && timeKey.test(key);
}

/** `2026-11-02 00:00`. */
function wallTime(at: number, timezone: string | undefined): string {
  const clock = timezone === undefined ? undefined : clockOf(timezone);
  if (clock === undefined) return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return clock.format(at);
}

/** Creating a formatter takes a hundred times as long as using it. A process has one time zone, or very few. */
const clocks = new Map<string, Intl.DateTimeFormat | undefined>();

/** Undefined if there is no such time zone. */
function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!clocks.has(timeZone)) clocks.set(timeZone, makeClock(timeZone));
  return clocks.get(timeZone);
}

function makeClock(timeZone: string): Intl.DateTimeFormat | undefined {
  // The Swedish locale writes dates as in ISO 8601.
  return orElse(
    () => new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }),
    undefined,
  );
}
