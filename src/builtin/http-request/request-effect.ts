import type { Effect } from "../../tool/index.ts";
import type { HttpRequestInput } from "./request-parts.ts";

/** What a method does to the other side, by the rules of HTTP. */
export const methodEffects: Readonly<Record<NonNullable<HttpRequestInput["method"]>, Effect>> = {
  GET: "read",
  HEAD: "read",
  OPTIONS: "read",
  PUT: "idempotent",
  DELETE: "idempotent",
  POST: "once",
  PATCH: "once",
};

/**
 * What a request may do to the other side. A method that is not known may do harm twice: a tool file may offer others
 * than the built-in tool. So may one that asks to be taken for another, and one that only reads but brings a body, with
 * which nobody knows what a server does.
 */
export function requestEffect({ method = "GET", headers, query, url, body }: HttpRequestInput): Effect {
  const effect = Object.hasOwn(methodEffects, method) ? methodEffects[method] : "once";
  const isOther = isOverridden(headers) || isOverridden(query) || isOverridden(queryOf(url));
  const carries = body !== undefined && body !== null && body !== "";
  return isOther || (effect === "read" && carries) ? "once" : effect;
}

/** Servers that honour such a header or parameter do what it says, not what the method says. */
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

/** On their way to a program, names lose their case, and `-`, `_` and other signs become one another. */
function namesMethod(name: string): boolean {
  return name.trim().toLowerCase() === "_method" || otherMethods.has(name.toLowerCase().replaceAll(/[^a-z0-9]+/g, ""));
}

/** A tool file may give something that is no text. */
function queryOf(url: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries((typeof url === "string" ? URL.parse(url) : null)?.searchParams ?? []);
}
