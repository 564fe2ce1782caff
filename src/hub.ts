/**
 * Where tools come from and how one is chosen: `windlass/hub`. Folders of tools and skills, capabilities and their
 * contracts, the search for tools, and views of large results. `openWorkspace` sets all of it up; this is for whoever
 * builds a home of their own.
 *
 * @packageDocumentation
 */

// Where tools come from
export {
  type FolderChange,
  type FolderEvent,
  type ReloadMode,
  type Skill,
  type SkillFolder,
  type SkillLimits,
  type ToolFileWorld,
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
  type Synthesiser,
  contractFileSchema,
  loadContracts,
  parseContract,
  toSourceMeta,
  usualHubLimits,
} from "./hub/index.ts";

// Finding them
export {
  type FindOptions,
  type FindToolsInput,
  type FindToolsOutput,
  type FindToolsParts,
  type FoundTool,
  type CatalogueOptions,
  type CatalogueTools,
  type PlannerListOptions,
  type PlannerToolList,
  type PromptCatalogue,
  type ToolHit,
  ToolFinder,
  type ToolList,
  findToolsTool,
  plannerToolList,
  toolCatalogueForPrompt,
} from "./hub/index.ts";

// What is shown of their results
export {
  type DataOptions,
  type FormatLimits,
  type ReadResultInput,
  type ReadResultOutput,
  type Redact,
  type ResultKind,
  type ResultOwner,
  ResultShelf,
  type ResultView,
  type ShelfOptions,
  type ShelvedResult,
  type ViewOptions,
  asData,
  formatDefaults,
  formatResult,
  readResultTool,
  viewOf,
} from "./hub/index.ts";
