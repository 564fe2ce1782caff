import type { HttpResponse } from "../../net/index.ts";

/** Caching rules of a response. */
export interface Freshness {
  /** True if the response may be stored. */
  readonly storable: boolean;
  /** Time for which the response may be used without revalidation. */
  readonly freshMs: number;
}

/** A page older than this is always revalidated. */
const maxFreshnessMs = 24 * 3_600_000;

/**
 * Reads `Cache-Control`, `Expires`, `Age` and `Vary` of a response (RFC 9111). As strict as a shared cache: a response
 * that is private or sets a cookie is for one reader, and the cache outlives that reader.
 */
export function freshnessOf({ headers }: Pick<HttpResponse, "headers">, now: number): Freshness {
  const control = directives(headerAsText(headers["cache-control"]));
  const personal = control.has("private") || headers["set-cookie"] !== undefined;
  const storable = !personal && !control.has("no-store") && !headerAsText(headers["vary"]).includes("*");
  if (!storable || control.has("no-cache")) return { storable, freshMs: 0 };
  const maxAge = seconds(control.get("max-age"));
  const freshMs = maxAge === undefined ? untilExpired(headers, now) : maxAge * 1000;
  const age = (seconds(headerAsText(headers["age"])) ?? 0) * 1000;
  return { storable, freshMs: Math.min(maxFreshnessMs, Math.max(0, freshMs - age)) };
}

/** A header as one text. */
export function headerAsText(value: string | readonly string[] | undefined): string {
  return typeof value === "string" ? value : (value ?? []).join(", ");
}

function directives(header: string): ReadonlyMap<string, string> {
  return new Map(
    header.split(",").map((part) => {
      const [name = "", value = ""] = part.split("=", 2);
      return [name.trim().toLowerCase(), value.trim().replaceAll('"', "")];
    }),
  );
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

/** Counted from the server's own clock, if the response has a `Date`. */
function untilExpired(headers: HttpResponse["headers"], now: number): number {
  const expires = Date.parse(headerAsText(headers["expires"]));
  const date = Date.parse(headerAsText(headers["date"]));
  if (Number.isNaN(expires)) return 0;
  return expires - (Number.isNaN(date) ? now : date);
}
