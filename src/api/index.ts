/**
 * The wire contract of the HTTP API: the route table, the schemas of its values, and problem details. The server and the
 * client both follow from it.
 *
 * Belongs here: anything that both sides of the wire must agree on.
 *
 * Must stay true: no imports of Node, not even transitively, because browsers load this folder. Every route is in the
 * table, and nothing about a route is written elsewhere.
 *
 * Test: `npm run vitest -- run test/server/contract.test.ts`
 */

export * from "./problem.ts";
export * from "./routes.ts";
export * from "./stream-event.ts";
export * from "./schemas.ts";
