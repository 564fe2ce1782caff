import type { JsonSchema } from "../../schema/index.ts";

/** Strings for the formats that tools use; each is valid for its format. */
const formatted: Readonly<Record<string, string>> = {
  "date-time": "2000-01-01T00:00:00Z",
  date: "2000-01-01",
  time: "00:00:00Z",
  duration: "PT0S",
  email: "someone@example.com",
  "idn-email": "someone@example.com",
  hostname: "example.com",
  "idn-hostname": "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  "uri-reference": "https://example.com/",
  iri: "https://example.com/",
  "iri-reference": "https://example.com/",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
  "json-pointer": "/",
  regex: "text",
};

const maxTextLength = 10_000;

/** A string that fits the format and the lengths of a schema. */
export function stubText(schema: JsonSchema): string {
  const { format, minLength, maxLength } = schema;
  if (typeof format === "string" && Object.hasOwn(formatted, format)) return formatted[format] ?? "text";
  const min = typeof minLength === "number" ? Math.min(minLength, maxTextLength) : 0;
  const maxCount = typeof maxLength === "number" ? maxLength : maxTextLength;
  return "text".padEnd(min, ".").slice(0, Math.max(maxCount, 0));
}

/** A number within the limits of a schema; usually the one closest to zero. */
export function stubNumber(schema: JsonSchema, whole: boolean): number {
  const low = lowest(schema, whole);
  const high = highest(schema, whole);
  const step = positive(schema["multipleOf"]) ?? (whole ? 1 : undefined);
  const start = low > 0 ? low : high < 0 ? high : 0;
  if (step === undefined || start === 0) return start;
  const multiple = (low > 0 ? Math.ceil(start / step) : Math.floor(start / step)) * step;
  return multiple === 0 ? 0 : multiple;
}

function lowest(schema: JsonSchema, whole: boolean): number {
  const { minimum, exclusiveMinimum, exclusiveMaximum, maximum } = schema;
  const inclusive = finite(minimum) ?? -Infinity;
  const exclusive = finite(exclusiveMinimum);
  if (exclusive === undefined || exclusive < inclusive) return inclusive;
  const above = Math.min(finite(maximum) ?? Infinity, finite(exclusiveMaximum) ?? Infinity);
  return whole ? Math.floor(exclusive) + 1 : between(exclusive, above);
}

function highest(schema: JsonSchema, whole: boolean): number {
  const { maximum, exclusiveMaximum, exclusiveMinimum, minimum } = schema;
  const inclusive = finite(maximum) ?? Infinity;
  const exclusive = finite(exclusiveMaximum);
  if (exclusive === undefined || exclusive > inclusive) return inclusive;
  const below = Math.max(finite(minimum) ?? -Infinity, finite(exclusiveMinimum) ?? -Infinity);
  return whole ? Math.ceil(exclusive) - 1 : -between(-exclusive, -below);
}

/** Just above a limit, and not beyond the other one. */
function between(limit: number, above: number): number {
  return Number.isFinite(above) && above <= limit + 1 ? (limit + above) / 2 : limit + 1;
}

function finite(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function positive(value: unknown): number | undefined {
  const number = finite(value);
  return number !== undefined && number > 0 ? number : undefined;
}
