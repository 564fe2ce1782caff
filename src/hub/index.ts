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
export { hasMcpConfig } from "./mcp/has-mcp-config.ts";
export { loadMcpSource } from "./mcp/load-mcp-source.ts";
export type { McpSource, McpSourceOptions } from "./mcp/mcp-source.ts";
export type { McpReview, McpServerStatus } from "./mcp/mcp-status.ts";
export { forgetServer } from "./mcp/state-files.ts";
export { eraseServer, writeServer } from "./mcp/write-config.ts";
export { findToolsName, findToolsTool } from "./find/find-tools-tool.ts";
export { plannerToolList } from "./find/planner-tool-list.ts";
export { toolCatalogueForPrompt } from "./find/tool-catalogue-for-prompt.ts";
export { ToolFinder } from "./find/tool-finder.ts";
export { asData } from "./view/as-data.ts";
export { formatResult } from "./view/format-result.ts";
export { readResultName, readResultTool } from "./view/read-result-tool.ts";
export { ResultShelf } from "./view/result-shelf.ts";
export { viewOf } from "./view/view-of.ts";
export {
  type CapabilityInfo,
  type Contract,
  ContractFolder,
  Hub,
  type HubLimits,
  type HubOptions,
  type Synthesiser,
  contractFileSchema,
  loadContracts,
  parseContract,
  toSourceMeta,
} from "./choose/index.ts";
