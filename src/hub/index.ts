export { type ToolFileWorld, loadToolFile } from "./folder/load-tool-file.ts";
export { fileProblem, readText } from "./folder/read-text.ts";
export { type ScannedFile, type ScannedFolder, scanFolder } from "./folder/scan-folder.ts";
export {
  type FolderChange,
  type FolderEvent,
  type ReloadMode,
  type ToolFolder,
  createToolFolder,
} from "./folder/tool-folder.ts";
export { type FolderWatch, watchFolder } from "./folder/watch-folder.ts";
export { loadSkills } from "./load-skills.ts";
export type { Skill } from "./skills/skill.ts";
export type { SkillFolder } from "./skills/skill-folder.ts";
export type { SkillLimits } from "./skills/skill-tools.ts";
export type {
  McpAddress,
  McpCallOptions,
  McpCallOutcome,
  McpConnectOptions,
  McpConnection,
  McpConnector,
  McpContent,
  McpDefinition,
  McpListener,
  McpResource,
  McpResourceContent,
  ProgramServer,
  RemoteServer,
} from "./mcp/mcp-port.ts";
export { shownCommand, unpinnedPackage } from "./mcp/check-command.ts";
export type { ServerEntryJson } from "./mcp/edit-config.ts";
export { hasMcpConfig, isMcpConfig } from "./mcp/has-mcp-config.ts";
export { loadMcpSource } from "./mcp/load-mcp-source.ts";
export type { McpSource, McpSourceOptions } from "./mcp/mcp-source.ts";
export type { McpReview, McpServerState, McpServerStatus, RefusedTool, ReviewedTool } from "./mcp/mcp-status.ts";
export type { McpSourceLimits } from "./mcp/source-limits.ts";
export { forgetLogins, forgetServer } from "./mcp/state-files.ts";
export { eraseServer, writeServer } from "./mcp/write-config.ts";
export {
  type FindToolsInput,
  type FindToolsOutput,
  type FindToolsParts,
  type FoundTool,
  findToolsName,
  findToolsTool,
} from "./find/find-tools-tool.ts";
export { type PlannerListOptions, type PlannerToolList, plannerToolList } from "./find/planner-tool-list.ts";
export {
  type CatalogueOptions,
  type CatalogueTools,
  type PromptCatalogue,
  toolCatalogueForPrompt,
} from "./find/tool-catalogue-for-prompt.ts";
export { type FindOptions, ToolFinder, type ToolHit, type ToolList } from "./find/tool-finder.ts";
export { type DataOptions, asData } from "./view/as-data.ts";
export { type FormatLimits, formatDefaults, formatResult } from "./view/format-result.ts";
export {
  type ReadResultInput,
  type ReadResultOutput,
  readResultName,
  readResultTool,
} from "./view/read-result-tool.ts";
export { type ResultKind, resultKind } from "./view/result-kind.ts";
export { type ResultOwner, ResultShelf, type ShelfOptions, type ShelvedResult } from "./view/result-shelf.ts";
export { hubOffers, hubToolNames } from "./hub-offers.ts";
export { type Redact, redactOutput } from "./view/redact-output.ts";
export { type ResultView, type ViewOptions, keepLarge, viewOf, viewText } from "./view/view-of.ts";
export type { Contract } from "./choose/contract.ts";
export { type ParsedContract, parseContract } from "./choose/contract-file.ts";
export { contractFileSchema } from "./choose/contract-file-schema.ts";
export { ContractFolder, type ContractFolderOptions } from "./choose/contract-folder.ts";
export { deriveCapabilities } from "./choose/derive-capabilities.ts";
export { type HubLimits, usualHubLimits } from "./choose/hub-limits.ts";
export { type CapabilityInfo, Hub, type HubOptions } from "./choose/hub.ts";
export { type LoadedContracts, loadContracts } from "./choose/load-contracts.ts";
export { meantCapability } from "./choose/meant-capability.ts";
export { unservedContracts } from "./choose/unserved-contracts.ts";
export type { MappedTools } from "./choose/unmatched-mappings.ts";
export { type SourceMeta, toSourceMeta } from "./choose/source-meta.ts";
export type { Synthesiser } from "./choose/synthesise.ts";
