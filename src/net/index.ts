export * from "./allow-list.ts";
export type * from "./check-headers.ts";
export * from "./check-url.ts";
export * from "./create-fetch.ts";
export type * from "./connector.ts";
export * from "./http-client.ts";
export * from "./net-reasons.ts";
export type * from "./resolve-target.ts";
export * from "./retry-after.ts";
