/**
 * Durable runs of every kind: journal, replay, leases, timers, approvals, suspension. A kind registers with
 * `RunService`.
 *
 * Belongs here: the parts that chains, agents and durable calls share when they survive their process.
 *
 * Must stay true: a program has no access to the outside except the effects that it yields, so a replay takes the same
 * path. The start of a call with side effects is durable before its handler runs; its outcome is durable before the
 * program receives it. A `once` call without an outcome is never repeated without a person's decision. A decision is
 * durable in the journal before its approval is consumed. The life cycles are in ARCHITECTURE.md.
 *
 * Test: `npm run vitest -- run src/run test/run-service.test.ts test/conformance/run-conformance test/crash`
 */

export * from "./approvals/approval-rules.ts";
export type * from "./approvals/run-approvals.ts";
export * from "./leases/run-leases.ts";
export * from "./host/engine-runner.ts";
export * from "./host/run-lifecycle.ts";
export * from "./call-runner.ts";
export * from "./host.ts";
export * from "./host/journal-host.ts";
export type * from "./host/journal-writer.ts";
export * from "./host/open-host.ts";
export * from "./host/ordered-key-map.ts";
export * from "./revealed-changes.ts";
export * from "./sealed-journal.ts";
export type { DeliveredEvent, EventRequest } from "./service/deliver-event.ts";
export * from "./service/run-kind.ts";
export * from "./service/run-dispatcher.ts";
export * from "./service/durable-calls.ts";
export * from "./service/run-client.ts";
export type * from "./service/run-server.ts";
export * from "./service/run-service.ts";
export type * from "./service/same-run.ts";
export * from "./program/run-effect.ts";
export * from "./program/effect-runner.ts";
export * from "./program/call-with-approval.ts";
export * from "./program/parallel-programs.ts";
export * from "./program/running-program.ts";
export * from "./replay/replay-cursor.ts";
export * from "./sub-runs.ts";
