/**
 * Triggers: schedules, webhooks and watched files that start runs of chains.
 *
 * Belongs here: when a trigger fires, what its run gets, and what happens while an earlier run has not ended. The format
 * of triggers in files, and its checks, belong to `chain/`.
 *
 * Must stay true: a firing is stored before its run is started, under a key that is the same in all processes, and every
 * decision about it is one change of the store that one process wins. The id of the run follows from the firing. Signatures
 * are verified over the bytes that arrived, in constant time. Time comes from the clock of the workspace.
 *
 * Test: `npm run vitest -- run src/trigger test/conformance/trigger-store.test.ts`
 */

export * from "./triggers.ts";
export type * from "./trigger-deps.ts";
export { writtenName } from "./trigger-state.ts";
export type * from "./read-event.ts";
