import type { HttpClient } from "../net/index.ts";
import type { JsonOutput } from "../schema/index.ts";
import { type ToolFor, defineTool, ok, readResponse, type Effect } from "../tool/index.ts";
import { type HttpRequestInput, httpRequestInput, requestParts } from "./http-request/request-parts.ts";

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

const defaultSeconds = httpRequestInput.properties.timeout.default;

/** The tool `http_request`: one HTTP request through the guarded HTTP client. */
export function httpRequestTool({
  http,
}: {
  readonly http: HttpClient;
}): ToolFor<typeof httpRequestInput, HttpRequestOutput> {
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
    input: httpRequestInput,
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
const otherMethods: ReadonlySet<string> = new Set([
  "xhttpmethodoverride",
  "xhttpmethod",
  "xmethodoverride",
  "xmethod",
  "httpmethodoverride",
  "httpmethod",
  "methodoverride",
]);

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
