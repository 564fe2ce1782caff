/**
 * Sources of tools and the choice among them: folders of tools and skills, MCP servers, capabilities, tool search,
 * views of large results.
 *
 * Belongs here: sources, the choice among candidates, and what of a result a model sees. Clients of protocols belong to
 * `adapters/`.
 *
 * Must stay true: one broken file or dead server never removes other tools. Only tools with the effect `pure` or `read`
 * are raced or merged. Listing and validating never connect to a server. A changed definition of an MCP tool is refused
 * until a person approves it. The order of tool lists is stable, so that prompts stay cacheable.
 *
 * Test: `npm run vitest -- run src/hub test/reload.test.ts`
 */

export * from "./tool-folder/load-tool-file.ts";
export * from "./tool-folder/read-text.ts";
export * from "./tool-folder/scan-folder.ts";
export * from "./tool-folder/tool-folder.ts";
export * from "./tool-folder/folder-event-emitter.ts";
export * from "./tool-folder/folder-reloader.ts";
export type * from "./skills/skill.ts";
export type * from "./skills/skill-folder.ts";
export * from "./skills/skill-catalogue.ts";
export type * from "./skills/skill-tools.ts";
export type * from "./mcp/mcp-port.ts";
export * from "./mcp/format-command.ts";
export type * from "./mcp/server-config.ts";
export * from "./mcp/server-identity.ts";
export type * from "./mcp/edit-config.ts";
export * from "./mcp/expand-text.ts";
export * from "./mcp/mcp-names.ts";
export * from "./mcp/load-sources.ts";
export type * from "./mcp/mcp-source.ts";
export type * from "./mcp/mcp-status.ts";
export type * from "./mcp/mcp-source-limits.ts";
export * from "./mcp/server-state-files.ts";
export * from "./mcp/write-config.ts";
export * from "./tool-search/find-tools-tool.ts";
export * from "./tool-search/planner-tool-list.ts";
export * from "./tool-search/tool-catalogue-for-prompt.ts";
export * from "./tool-search/tool-finder.ts";
export * from "./result-view/format-result.ts";
export * from "./result-view/read-result-tool.ts";
export * from "./result-view/result-store.ts";
export * from "./routing/serving-candidates.ts";
export * from "./result-view/redact-output.ts";
export * from "./result-view/view-result.ts";
export type * from "./routing/contract.ts";
export * from "./routing/contract-file.ts";
export * from "./routing/contract-file-schema.ts";
export * from "./routing/contract-folder.ts";
export * from "./routing/derive-capabilities.ts";
export * from "./routing/hub-limits.ts";
export * from "./routing/hub.ts";
export * from "./routing/load-contracts.ts";
export type * from "./routing/unmatched-mappings.ts";
export * from "./routing/choice-meta.ts";
export type * from "./routing/synthesize-results.ts";
