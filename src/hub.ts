/**
 * Sources of tools and the choice among them: `windlass/hub`. Folders of tools and skills, capabilities and their
 * contracts, tool search, and views of large results. `openWorkspace` sets all of it up; use this module to build a
 * custom host.
 *
 * @packageDocumentation
 */

// Sources of tools
export {
  type FolderChange,
  type ToolFolderEvent,
  type ReloadMode,
  type Skill,
  type SkillFolder,
  type SkillLimits,
  type ToolFileDeps,
  type ToolFolder,
  createToolFolder,
  loadSkills,
} from "./hub/index.ts";

// Choosing among them
export {
  type CapabilityInfo,
  type Contract,
  ContractFolder,
  type ContractFolderOptions,
  Hub,
  type HubLimits,
  type HubOptions,
  type LoadedContracts,
  type ParsedContract,
  type SourceMeta,
  type Synthesizer,
  contractFileSchema,
  loadContracts,
  parseContract,
  toSourceMeta,
  defaultHubLimits,
} from "./hub/index.ts";

// Finding them
export {
  type ToolSearchOptions,
  type FindToolsInput,
  type FindToolsOutput,
  type FindToolsDeps,
  type FoundTool,
  type CatalogueOptions,
  type CatalogueTools,
  type PlannerListOptions,
  type PlannerToolList,
  type PromptCatalogue,
  type ToolHit,
  ToolFinder,
  type ToolListing,
  findToolsTool,
  plannerToolList,
  toolCatalogueForPrompt,
} from "./hub/index.ts";

// Views of tool results
export {
  type FenceUntrustedOptions,
  type FormatLimits,
  type ReadResultInput,
  type ReadResultOutput,
  type Redact,
  type ResultKind,
  type ResultOwner,
  ResultStore,
  type ResultView,
  type ResultStoreOptions,
  type StoredResult,
  type ViewResultOptions,
  fenceUntrusted,
  formatDefaults,
  formatResult,
  readResultTool,
  viewResult,
} from "./hub/index.ts";
