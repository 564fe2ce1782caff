import { fail } from "../../base/index.ts";
import type { HttpRequest, RequestHeaders } from "../../net/index.ts";
import type { InputFor } from "../../tool/index.ts";

/** A value that has one obvious form in a header or a query. */
type Scalar = string | number | boolean;

/** The input schema of `http_request`. */
export const httpRequestInput = {
  type: "object",
  properties: {
    url: { type: "string", pattern: "^https?://", description: "The full URL." },
    method: {
      type: "string",
      enum: ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "POST", "PATCH"],
      default: "GET",
      description: "The HTTP method.",
    },
    headers: {
      type: "object",
      additionalProperties: { type: ["string", "number", "boolean", "null"] },
      description: "Request headers.",
    },
    body: { description: "The request body: text as it is, any other value as JSON." },
    query: {
      type: "object",
      additionalProperties: {
        anyOf: [
          { type: ["string", "number", "boolean", "null"] },
          { type: "array", items: { type: ["string", "number", "boolean", "null"] } },
        ],
      },
      description: "Parameters to add to the URL's query; a list adds one several times.",
    },
    timeout: { type: "number", minimum: 1, maximum: 300, default: 30, description: "Seconds." },
  },
  required: ["url"],
  additionalProperties: false,
  examples: [
    { url: "http://example.com/" },
    { url: "http://example.com/search", query: { q: "tide", page: 2 }, timeout: 10 },
    { url: "http://example.com/notes", method: "POST", body: { text: "High water at six." } },
  ],
} as const;

/** Input of `http_request` before defaults. */
export type HttpRequestInput = InputFor<typeof httpRequestInput>;

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
