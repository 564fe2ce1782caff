/**
 * The HTTP server over a workspace. It adds no second way of doing anything: calls go through the engine, runs through the
 * run service, decisions through the approvals.
 *
 * Belongs here: access, parsing and problems of requests, and the routes, which call the workspace.
 *
 * Must stay true: every route is in the table of `api/`, is checked by its access column before its body is read, and
 * answers every failure as a problem, without a secret in it.
 *
 * Test: `npm run vitest -- run test/server`
 */

export * from "./create-server.ts";
export type * from "./server.ts";
export type { ScopedToken } from "./request/find-callers.ts";
export * from "./request/access-log.ts";
