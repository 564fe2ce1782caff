import type { Effect } from "./tool.ts";

/** Effect of each method, by the rules of HTTP. */
const effects: Readonly<Record<string, Effect>> = {
  GET: "read",
  HEAD: "read",
  OPTIONS: "read",
  PUT: "idempotent",
  DELETE: "idempotent",
};

/** The method of an HTTP entry, and its effect on the server. */
export function httpEffect({ method, body }: Readonly<Record<string, unknown>>): {
  readonly method: string;
  readonly effect: Effect;
} {
  const own = typeof method === "string" ? method : body !== undefined && body !== null ? "POST" : "GET";
  return { method: own, effect: effects[own] ?? "once" };
}
