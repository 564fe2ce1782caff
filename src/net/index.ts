/**
 * The guarded HTTP client, through which all outbound HTTP of the library goes, and the guard of servers.
 *
 * Belongs here: URLs, addresses, redirects, headers and limits of requests. Knowledge of a single service does not.
 *
 * Must stay true: an address is checked when it is connected to, not only when it is resolved; private addresses are
 * refused unless the allow-list names them; each redirect is checked again, and credentials are not sent to another
 * origin. Bytes and time of a response are limited. An allow-list opens access; there is no switch that opens
 * everything.
 *
 * Test: `npm run vitest -- run src/net`
 */

export { networkOf } from "./address.ts";
export * from "./allow-list.ts";
export type * from "./check-headers.ts";
export * from "./check-url.ts";
export * from "./create-fetch.ts";
export * from "./cross-origin.ts";
export type * from "./connector.ts";
export * from "./http-client.ts";
export * from "./inbound-guard.ts";
export * from "./inbound-server.ts";
export * from "./net-reasons.ts";
export type * from "./resolve-target.ts";
export * from "./retry-after.ts";
