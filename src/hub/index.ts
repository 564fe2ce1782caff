export { type ToolFileDeps, loadToolFile, loadedModules } from "./tool-folder/load-tool-file.ts";
export { fileProblem, readText } from "./tool-folder/read-text.ts";
export {
  type ScannedFile,
  type ScannedFolder,
  isSkippedFile,
  readDirectory,
  scanFolder,
} from "./tool-folder/scan-folder.ts";
export {
  type FolderChange,
  type ToolFolderEvent,
  type ReloadMode,
  type ToolFolder,
  createToolFolder,
} from "./tool-folder/tool-folder.ts";
export { FolderEventEmitter } from "./tool-folder/folder-event-emitter.ts";
export { type FolderWatch, watchFolder } from "./tool-folder/watch-folder.ts";
export type { Skill } from "./skills/skill.ts";
export type { SkillFolder } from "./skills/skill-folder.ts";
export { skillTable } from "./skills/skill-table.ts";
export type { SkillLimits } from "./skills/skill-tools.ts";
export type {
  McpAddress,
  McpCallOptions,
  McpCallOutcome,
  McpConnectOptions,
  McpConnection,
  McpConnector,
  McpContent,
  McpToolDefinition,
  McpListener,
  McpResource,
  McpResourceContent,
  McpStdioAddress,
  McpHttpAddress,
} from "./mcp/mcp-port.ts";
export { fetchesPackage, formatCommand, unpinnedPackage } from "./mcp/format-command.ts";
export type { McpServer } from "./mcp/server-config.ts";
export { displayedValue } from "./mcp/server-identity.ts";
export type { ServerEntryJson } from "./mcp/edit-config.ts";
export { secretsInTexts } from "./mcp/expand-text.ts";
export { configFiles, hasMcpConfig, isMcpConfig } from "./mcp/has-mcp-config.ts";
export { loadMcpConfig, loadMcpSource, loadSkills } from "./load-sources.ts";
export type { McpSource, McpSourceOptions } from "./mcp/mcp-source.ts";
export type { McpReview, McpServerState, McpServerStatus, RefusedTool, ReviewedTool } from "./mcp/mcp-status.ts";
export type { McpSourceLimits } from "./mcp/mcp-source-limits.ts";
export { forgetLogins, forgetServer } from "./mcp/server-state-files.ts";
export { deleteServer, addServerToConfig, hasServerEntry } from "./mcp/write-config.ts";
export {
  type FindToolsInput,
  type FindToolsOutput,
  type FindToolsDeps,
  type FoundTool,
  findToolsName,
  findToolsTool,
} from "./tool-search/find-tools-tool.ts";
export { type PlannerListOptions, type PlannerToolList, plannerToolList } from "./tool-search/planner-tool-list.ts";
export {
  type CatalogueOptions,
  type CatalogueTools,
  type PromptCatalogue,
  toolCatalogueForPrompt,
} from "./tool-search/tool-catalogue-for-prompt.ts";
export {
  type ToolSearchOptions,
  ToolFinder,
  type ToolHit,
  type ToolListing,
  toolFinderOf,
} from "./tool-search/tool-finder.ts";
export { type FenceUntrustedOptions, fenceUntrusted } from "./result-view/format-result.ts";
export { type FormatLimits, formatDefaults, formatResult } from "./result-view/format-result.ts";
export {
  type ReadResultInput,
  type ReadResultOutput,
  readResultName,
  readResultTool,
} from "./result-view/read-result-tool.ts";
export { type ResultKind, resultKind } from "./result-view/result-kind.ts";
export {
  type ResultOwner,
  ResultStore,
  type ResultStoreOptions,
  type StoredResult,
} from "./result-view/result-store.ts";
export { hubOffers, hubToolNames } from "./hub-offers.ts";
export { type Redact, redactOutput } from "./result-view/redact-output.ts";
export {
  type ResultView,
  type ViewResultOptions,
  storeLargeResult,
  viewResult,
  viewText,
} from "./result-view/view-result.ts";
export type { Contract } from "./routing/contract.ts";
export { type ParsedContract, parseContract } from "./routing/contract-file.ts";
export { contractFileSchema } from "./routing/contract-file-schema.ts";
export { ContractFolder, type ContractFolderOptions } from "./routing/contract-folder.ts";
export { deriveCapabilities } from "./routing/derive-capabilities.ts";
export { type HubLimits, defaultHubLimits, hubTable } from "./routing/hub-limits.ts";
export { type CapabilityInfo, Hub, type HubOptions, isHub } from "./routing/hub.ts";
export { type LoadedContracts, loadContracts } from "./routing/load-contracts.ts";
export { suggestCapability } from "./routing/derive-capabilities.ts";
export { unservedContracts } from "./routing/unserved-contracts.ts";
export type { MappedTools } from "./routing/unmatched-mappings.ts";
export { type SourceMeta, toSourceMeta } from "./routing/choice-meta.ts";
export type { Synthesizer } from "./routing/synthesize-results.ts";
