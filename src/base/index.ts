/**
 * Failures and their codes, ids, the clock, deadlines, the event bus, circuit breakers, JSON helpers.
 *
 * Belongs here: small parts without a domain, which at least two layers use. It imports no other layer.
 *
 * Must stay true: every failure code is an entry of `failureKinds`, with a retry verdict; expected failures are values
 * or `FailureError`, recognized by a brand and never by `instanceof`. Time, ids and randomness come from a `Clock`, an
 * `IdGenerator` and a `random` option, so that tests need no sleeping. JSON helpers never throw on hostile values.
 *
 * Test: `npm run vitest -- run src/base`
 */

export * from "./backoff.ts";
export * from "./brand.ts";
export * from "./circuit-breaker.ts";
export * from "./clock.ts";
export * from "./folders.ts";
export * from "./deadlines.ts";
export * from "./event-bus.ts";
export * from "./failure.ts";
export * from "./create-reason-failures.ts";
export * from "./ids.ts";
export * from "./import-module.ts";
export * from "./issue.ts";
export * from "./node-module.ts";
export * from "./json.ts";
export * from "./load-package.ts";
export * from "./linked-list.ts";
export * from "./lru-map.ts";
export * from "./bag.ts";
export * from "./name-glob.ts";
export * from "./or-else.ts";
export * from "./package-version.ts";
export * from "./input-limits.ts";
export * from "./race-abort.ts";
export * from "./process-identity.ts";
export * from "./process-usage.ts";
export * from "./event-loop-yielder.ts";
export * from "./keyed-mutex.ts";
export * from "./system-error-code.ts";
