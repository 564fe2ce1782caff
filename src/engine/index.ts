/**
 * One call: resolve, validate, permit, reuse, admit, attempt, check, record. `Call` in `call.ts` is its table of
 * contents.
 *
 * Belongs here: everything that must apply to every call of every caller. There is no second path to a handler.
 *
 * Must stay true: a call never throws and always ends, with one result and one record. Decisions come before side
 * effects: nothing runs before `decidePermission`. Only the root of nested calls takes a global slot, so nesting cannot
 * deadlock. A retry needs an effect that allows it. A stage is awaited only if it returned a promise; see
 * docs/benchmarks.md before a change of `call.ts` or `execution.ts`.
 *
 * Test: `npm run vitest -- run src/engine test/callers`
 */

export * from "./approval-elicitation.ts";
export * from "./approval-service.ts";
export type * from "./approver.ts";
export * from "./call-context.ts";
export * from "./internals.ts";
export * from "./untrusted-targets.ts";
export * from "./seen-urls.ts";
export * from "./close-on-signals.ts";
export * from "./concurrency.ts";
export type * from "./concurrency-metrics.ts";
export * from "./call-failures.ts";
export type * from "./engine-core.ts";
export * from "./permissions.ts";
export type * from "./denials.ts";
export * from "./engine.ts";
export * from "./resolve-effect.ts";
export * from "./handler-failure.ts";
export * from "./engine-options.ts";
export * from "./events.ts";
export * from "./scheduler.ts";
export type * from "./handler-wrapper.ts";
export * from "./unmatched-rule.ts";
