import type { HttpResponse } from "../../net/index.ts";

/** What a server says about keeping its answer. */
export interface Freshness {
  /** May it be kept at all? */
  readonly storable: boolean;
  /** How long it may be used without asking. */
  readonly freshMs: number;
}

/** Nobody should see a page older than this without the server having been asked. */
const longestMs = 24 * 3_600_000;

/**
 * Reads `Cache-Control`, `Expires`, `Age` and `Vary` of an answer (RFC 9111). As strict as a cache that many share: what
 * is private or comes with a cookie was meant for one reader, and a cache outlives whoever read it.
 */
export function freshnessOf({ headers }: Pick<HttpResponse, "headers">, now: number): Freshness {
  const control = directives(textOf(headers["cache-control"]));
  const personal = control.has("private") || headers["set-cookie"] !== undefined;
  const storable = !personal && !control.has("no-store") && !textOf(headers["vary"]).includes("*");
  if (!storable || control.has("no-cache")) return { storable, freshMs: 0 };
  const maxAge = seconds(control.get("max-age"));
  const freshMs = maxAge === undefined ? untilExpired(headers, now) : maxAge * 1000;
  const age = (seconds(textOf(headers["age"])) ?? 0) * 1000;
  return { storable, freshMs: Math.min(longestMs, Math.max(0, freshMs - age)) };
}

/** A header as one text. */
export function textOf(value: string | readonly string[] | undefined): string {
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

/** Counted from the server's own clock, where it tells it. */
function untilExpired(headers: HttpResponse["headers"], now: number): number {
  const expires = Date.parse(textOf(headers["expires"]));
  const date = Date.parse(textOf(headers["date"]));
  if (Number.isNaN(expires)) return 0;
  return expires - (Number.isNaN(date) ? now : date);
}
