import { fail } from "../../base/index.ts";
import type { HttpRequest, RequestHeaders } from "../../net/index.ts";

/** A value that has one obvious form in a header or a query. */
type Scalar = string | number | boolean;

/** Input of `http_request` before defaults. */
export interface HttpRequestInput {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "HEAD" | "OPTIONS";
  readonly headers?: Readonly<Record<string, Scalar | null>>;
  /** Text goes out as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, Scalar | null | readonly (Scalar | null)[]>>;
  /** Seconds. */
  readonly timeout?: number;
}

/** The HTTP request for the tool's arguments. */
export function requestParts(args: HttpRequestInput): HttpRequest {
  const body = bodyOf(args.body);
  const headers = headersOf(args.headers ?? {});
  const named = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  const isJson = body !== undefined && typeof args.body !== "string" && !named;
  return {
    url: withQuery(args.url, args.query ?? {}),
    method: args.method ?? "GET",
    headers: isJson ? { ...headers, "content-type": "application/json" } : headers,
    ...(body !== undefined && { body }),
  };
}

function bodyOf(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  return typeof body === "string" ? body : JSON.stringify(body);
}

/** Headers without a value are left out. */
function headersOf(headers: NonNullable<HttpRequestInput["headers"]>): RequestHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === null) return [];
      return [[name, scalarText(`the header ${JSON.stringify(name.slice(0, 60))}`, value)]];
    }),
  );
}

/** The query is appended as text: what the URL already holds stays exactly as it was written. */
function withQuery(url: string, query: NonNullable<HttpRequestInput["query"]>): string {
  const added = new URLSearchParams();
  for (const [name, input] of Object.entries(query)) {
    for (const value of [input].flat()) {
      if (value !== null)
        added.append(name, scalarText(`the query parameter ${JSON.stringify(name.slice(0, 60))}`, value));
    }
  }
  if (added.size === 0) return url;
  const [, base = "", fragment = ""] = /^([^#]*)(.*)$/s.exec(url) ?? [];
  return `${base}${base.includes("?") ? "&" : "?"}${added.toString()}${fragment}`;
}

function scalarText(label: string, value: Scalar): string {
  // A tool file may define these parameters more loosely than the built-in tool does.
  if (typeof value === "object")
    throw fail(`${label} must be text, a number or a boolean`, { code: "validation_error" });
  return String(value);
}
