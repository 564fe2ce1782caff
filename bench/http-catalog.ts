import type { Listed } from "./catalog.ts";

/** Servers of the tool `echo`; the first one is the baseline. */
export const httpEntries: readonly Listed[] = [
  {
    id: "hono",
    label: "bare Hono",
    kind: "floor",
    file: "floor-hono",
    note: "A route of Hono on `@hono/node-server` that parses the body and answers with the same JSON: the baseline.",
  },
  {
    id: "windlass",
    label: "**windlass** `createServer`",
    kind: "windlass",
    file: "windlass-http",
    note: "`POST /v1/tools/echo/call` of a workspace whose records are in SQLite: the guard of Host and Origin, the token and its scope, limits per token, validation, permission rules, a deadline, and a record of each call.",
  },
];
