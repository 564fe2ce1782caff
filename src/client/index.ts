/**
 * The typed client of the HTTP API: `windlass/client`.
 *
 * Belongs here: requests, their errors and the event stream, typed by the route table of `api/`.
 *
 * Must stay true: no imports of Node, not even transitively, because browsers load this folder; no dependency besides
 * `fetch`.
 *
 * Test: `npm run vitest -- run test/server/client.test.ts`
 */

export * from "./api-error.ts";
export * from "./agents.ts";
export * from "./chains.ts";
export * from "./client.ts";
export type { ClientOptions, Received, RequestOptions, RequestValues } from "./send-request.ts";
export type { EventsOptions } from "./event-stream.ts";
export * from "./runs.ts";
