export { builtinChains } from "./builtin-chains.ts";
export {
  type BuiltinCategory,
  type BuiltinToolOptions,
  type FileToolServices,
  builtinOffers,
  builtinToolNames,
  builtinTools,
  createCrawlerTools,
  createDataTools,
  createFileTools,
} from "./builtin-tools.ts";
export { type BuiltinServices, type BuiltinServiceOptions, createBuiltinServices } from "./services.ts";
export { calculate } from "./calculator/calculate.ts";
export { calculatorReasons } from "./calculator/fault.ts";
export { type CalculatorInput, type CalculatorOutput, calculatorTool } from "./calculator-tool.ts";
export { type Echo, echoTool } from "./echo-tool.ts";
export { type HttpRequestOutput, httpRequestTool } from "./http-request-tool.ts";
export type { HttpRequestInput } from "./http-request/request-parts.ts";
export { sandboxStatus } from "./sandbox/sandbox-status.ts";
export { createSearch } from "./search/search.ts";
export { type OpenedProviders, openProviders, searchVariables } from "./search/search-settings.ts";
export { searchTable } from "./search/search-table.ts";
export { createFileTimerStore } from "./time/file-timer-store.ts";
export { type Vault, createVault } from "./vault/vault.ts";
export { createPromptSender } from "./writing/prompt-sender.ts";
export { webTable } from "./web/web-table.ts";
export { folderPrompts } from "./writing/folder-prompts.ts";
