import type { Door } from "../net/index.ts";
import { fromJsonSchema } from "../schema/index.ts";
import { type Tool, defineTool, ok, readResponse } from "../tool/index.ts";
import { methodEffects, requestEffect } from "./http-request/request-effect.ts";
import { type HttpRequestInput, requestParts } from "./http-request/request-parts.ts";

/** What `http_request` gives, whatever the status. */
export interface HttpRequestOutput {
  readonly status_code: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Parsed JSON, text, or null where the body is binary and attached. */
  readonly body: unknown;
  /** Where the response came from, after redirects. */
  readonly url: string;
  /** The body was longer than the limit and was cut. */
  readonly truncated?: boolean;
}

const defaultSeconds = 30;

const scalar = { type: ["string", "number", "boolean", "null"] };

/** `http_request`: one HTTP request through the door. */
export function httpRequestTool({
  door,
}: {
  readonly door: Door;
}): Tool<HttpRequestInput, HttpRequestInput, HttpRequestOutput> {
  return defineTool({
    name: "http_request",
    description:
      "Sends an HTTP request and gives the response: status_code, headers and body (parsed when it is JSON). " +
      `A status such as 404 is an answer, not a failure. To read a web page use web_fetch. ${reachable(door.allow ?? [])}`,
    displayName: "HTTP request",
    category: "http",
    tags: ["network", "api", "request"],
    capabilities: ["http", "request", "网络请求"],
    effect: requestEffect,
    destructive: (args) => requestEffect(args) !== "read",
    timeoutMs: (args) => secondsOf(args) * 1000,
    input: fromJsonSchema<HttpRequestInput, HttpRequestInput>({
      type: "object",
      properties: {
        url: { type: "string", pattern: "^https?://", description: "The full URL." },
        method: { type: "string", enum: Object.keys(methodEffects), default: "GET", description: "The HTTP method." },
        headers: { type: "object", additionalProperties: scalar, description: "Request headers." },
        body: { description: "The request body: text as it is, any other value as JSON." },
        query: {
          type: "object",
          additionalProperties: { anyOf: [scalar, { type: "array", items: scalar }] },
          description: "Parameters to add to the URL's query; a list adds one several times.",
        },
        timeout: { type: "number", minimum: 1, maximum: 300, default: defaultSeconds, description: "Seconds." },
      },
      required: ["url"],
      additionalProperties: false,
      examples: [
        { url: "http://example.com/" },
        { url: "http://example.com/search", query: { q: "tide", page: 2 }, timeout: 10 },
        { url: "http://example.com/notes", method: "POST", body: { text: "High water at six." } },
      ],
    }),
    output: fromJsonSchema<HttpRequestOutput, HttpRequestOutput>({
      type: "object",
      properties: {
        status_code: { type: "integer" },
        headers: { type: "object" },
        body: {},
        url: { type: "string" },
        truncated: { type: "boolean" },
      },
      required: ["status_code", "headers", "body", "url"],
    }),
    run: async (args, { signal }) => {
      const response = await door.request({ ...requestParts(args), timeoutMs: secondsOf(args) * 1000, signal });
      const { body, attachment } = readResponse(response);
      const { status, headers, url, truncated } = response;
      const output = { status_code: status, headers, body, url, ...(truncated && { truncated }) };
      return ok(output, attachment === undefined ? {} : { attachments: [attachment] });
    },
  });
}

const mostNamed = 20;

/** What can be reached besides the public network, as far as it fits into a description. */
function reachable(allow: readonly string[]): string {
  if (allow.length === 0) return "Only public addresses can be reached.";
  const more = allow.length > mostNamed ? " and others" : "";
  return `Public addresses can be reached, and of private ones ${allow.slice(0, mostNamed).join(", ")}${more}.`;
}

/** A tool file may leave the parameter out. */
function secondsOf({ timeout }: HttpRequestInput): number {
  return timeout ?? defaultSeconds;
}
