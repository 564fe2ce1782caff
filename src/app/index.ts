/**
 * A workspace: reads `windlass.yaml` and the folders, checks trust, and wires adapters to ports in `openWorkspace`.
 *
 * Belongs here: decisions that need the whole workspace. A setting of one layer belongs to the table of that layer.
 *
 * Must stay true: nothing of a folder is executed before it is trusted. A problem in one file is reported with its
 * position and disables only that file. A workspace closes everything that it opened, users of a part before the part.
 * Services are loaded on first use, because most commands need none.
 *
 * Test: `npm run vitest -- run src/app test/settings.test.ts`
 */

export * from "./api-tokens.ts";
export { type AuditActor, auditedApprovals } from "./audit.ts";
export * from "./chain-folder.ts";
export * from "./doctor/check-database.ts";
export { type Finding, worksAlone } from "./doctor/check-servers.ts";
export * from "./doctor/examine-workspace.ts";
export * from "./find-workspace.ts";
export * from "./ignored-files.ts";
export * from "./load-chain.ts";
export * from "./local-token.ts";
export type * from "./open-agents.ts";
export * from "./open-mcp.ts";
export { type WorkspaceJournal, openJournal } from "./open-journal.ts";
export * from "./open-trust.ts";
export { triggerProblems } from "./open-triggers.ts";
export * from "./trust-new-workspace.ts";
export * from "./trust-reasons.ts";
export * from "./trust-store.ts";
export type * from "./trust-item.ts";
export * from "./open-workspace.ts";
export * from "./workspace.ts";
export * from "./parse-workspace.ts";
export * from "./plan-file.ts";
export * from "./plan-for-graph.ts";
export * from "./read-secrets.ts";
export * from "./read-settings.ts";
export * from "./unloaded-tools.ts";
export * from "./unmatched-tool-lists.ts";
export * from "./unmatched-settings.ts";
export * from "./never-connected-servers.ts";
export type * from "./workspace-config.ts";
export * from "./tool-file-names.ts";
export * from "./save-chain.ts";
export * from "./serve-tools.ts";
export * from "./runs/explain-run.ts";
export * from "./runs/inspect-run.ts";
export * from "./runs/locate-expression.ts";
export * from "./runs/open-approvals.ts";
export * from "./wire/to-wire.ts";
export * from "./wire/to-wire-event.ts";
