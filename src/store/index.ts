/**
 * The ports of everything that is stored, and their in-memory versions: run journal, records, approvals, memories, text
 * index, caches.
 *
 * Belongs here: interfaces, stored forms and rules that all implementations share. Databases belong to `adapters/`.
 *
 * Must stay true: every implementation of a port passes its suite in `test/conformance`. Each write of a run checks the
 * epoch of its lease, so that a process that lost the run cannot write. Stored data is plain JSON; a changed format
 * needs a migration and a pin, see CONTRIBUTING.md.
 *
 * Test: `npm run vitest -- run src/store test/conformance`
 */

export * from "./api-tokens.ts";
export * from "./approval-state.ts";
export * from "./approvals.ts";
export * from "./audit-log.ts";
export * from "./deliveries.ts";
export * from "./flat-record.ts";
export * from "./change-feed.ts";
export * from "./check-retention.ts";
export * from "./idempotency-keys.ts";
export * from "./in-memory-approvals.ts";
export * from "./in-memory-changes.ts";
export * from "./in-memory-records.ts";
export * from "./in-memory-run-journal.ts";
export type * from "./in-memory-run-journal-options.ts";
export * from "./unfinished-runs.ts";
export * from "./record-statistics.ts";
export * from "./page-cache.ts";
export * from "./record-page.ts";
export * from "./record-size.ts";
export * from "./record-text.ts";
export * from "./records.ts";
export * from "./result-cache.ts";
export * from "./run-state.ts";
export type * from "./run-journal.ts";
export * from "./in-memory-memory-store.ts";
export * from "./in-memory-text-index.ts";
export * from "./memory-store.ts";
export * from "./text-columns.ts";
export * from "./text-index.ts";
export * from "./text-query.ts";
export * from "./text-ranking.ts";
export * from "./text-snippet.ts";
export * from "./text-tokens.ts";
export * from "./in-memory-triggers.ts";
export * from "./triggers.ts";
