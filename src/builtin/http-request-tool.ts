import type { HttpClient, HttpRequest } from "../net/index.ts";
import type { JsonOutput } from "../schema/index.ts";
import { type ToolFor, defineTool, ok, readResponse, type Effect, type InputFor } from "../tool/index.ts";
import { fail } from "../base/index.ts";

/** A value that has one obvious form in a header or a query. */
type Scalar = string | number | boolean;

const input = {
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
export type HttpRequestInput = InputFor<typeof input>;

const output = {
  type: "object",
  properties: {
    status_code: { type: "integer" },
    headers: { type: "object" },
    body: {},
    url: { type: "string" },
    truncated: { type: "boolean" },
  },
  required: ["status_code", "headers", "body", "url"],
} as const;

/** Output of `http_request`, for any status. */
export type HttpRequestOutput = JsonOutput<typeof output>;

const defaultSeconds = input.properties.timeout.default;

/** The tool `http_request`: one HTTP request through the guarded HTTP client. */
export function httpRequestTool({ http }: { readonly http: HttpClient }): ToolFor<typeof input, HttpRequestOutput> {
  return defineTool({
    name: "http_request",
    description:
      "Sends an HTTP request and returns the response: status_code, headers and body (parsed if it is JSON). " +
      `A status such as 404 is a result, not a failure. To read a web page use web_fetch. ${reachable(http.allow ?? [])}`,
    displayName: "HTTP request",
    category: "http",
    tags: ["network", "api", "request"],
    capabilities: ["http", "request", "网络请求"],
    effect: requestEffect,
    destructive: (args) => requestEffect(args) !== "read",
    targets: { url: "url" },
    sends: true,
    timeoutMs: (args) => secondsOf(args) * 1000,
    input,
    output,
    run: async (args, { signal }) => {
      const response = await http.request({ ...requestParts(args), timeoutMs: secondsOf(args) * 1000, signal });
      const { body, attachment } = readResponse(response);
      const { status, headers, url, truncated } = response;
      const output = { status_code: status, headers, body, url, ...(truncated && { truncated }) };
      return ok(output, attachment === undefined ? {} : { attachments: [attachment] });
    },
  });
}

const maxListed = 20;

/** Describes the private addresses that can be reached, as far as they fit into a description. */
function reachable(allow: readonly string[]): string {
  if (allow.length === 0) return "Only public addresses can be reached.";
  const more = allow.length > maxListed ? " and others" : "";
  return `Public addresses can be reached, and of private ones ${allow.slice(0, maxListed).join(", ")}${more}.`;
}

/** A tool file may omit the parameter. */
function secondsOf({ timeout }: HttpRequestInput): number {
  return timeout ?? defaultSeconds;
}

/** Effect of a method on the server, by the rules of HTTP. */
const methodEffects: Readonly<Record<NonNullable<HttpRequestInput["method"]>, Effect>> = {
  GET: "read",
  HEAD: "read",
  OPTIONS: "read",
  PUT: "idempotent",
  DELETE: "idempotent",
  POST: "once",
  PATCH: "once",
};

/**
 * Returns the effect of a request on the server. An unknown method counts as `once`: a tool file may offer more methods
 * than the built-in tool. So does a request that overrides its method, and a read with a body, because its effect on
 * the server is unknown.
 */
function requestEffect({ method = "GET", headers, query, url, body }: HttpRequestInput): Effect {
  const effect = Object.hasOwn(methodEffects, method) ? methodEffects[method] : "once";
  const isOther = isOverridden(headers) || isOverridden(query) || isOverridden(queryOf(url));
  const carries = body !== undefined && body !== null && body !== "";
  return isOther || (effect === "read" && carries) ? "once" : effect;
}

/** Servers that support such a header or parameter use its method instead of the request's. */
const otherMethods: ReadonlySet<string> = new Set(
  "xhttpmethodoverride xhttpmethod xmethodoverride xmethod httpmethodoverride httpmethod methodoverride".split(" "),
);

function isOverridden(values: Readonly<Record<string, unknown>> | undefined): boolean {
  return Object.entries(values ?? {}).some(([name, value]) => value !== null && namesMethod(name));
}

/** Servers normalize names: case is ignored, and `-`, `_` and other characters are equivalent. */
function namesMethod(name: string): boolean {
  return name.trim().toLowerCase() === "_method" || otherMethods.has(name.toLowerCase().replaceAll(/[^a-z0-9]+/g, ""));
}

/** A tool file may pass a value that is not a string. */
function queryOf(url: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries((typeof url === "string" ? URL.parse(url) : null)?.searchParams ?? []);
}

/** The HTTP request for the tool's arguments. */
function requestParts(args: HttpRequestInput): HttpRequest {
  const body = bodyOf(args.body);
  // Headers without a value are left out.
  const headers = Object.fromEntries(
    Object.entries(args.headers ?? {}).flatMap(([name, value]) => {
      if (value === null) return [];
      return [[name, scalarText(`the header ${JSON.stringify(name.slice(0, 60))}`, value)]];
    }),
  );
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
