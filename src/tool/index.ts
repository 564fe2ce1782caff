export { codeFile, commandFiles, hashScripts } from "./command-files.ts";
export {
  type ArgsFor,
  type ContextFor,
  type InputFor,
  type NoInput,
  type OutputFor,
  type ToolFor,
  type ToolDefinition,
  defineTool,
} from "./define-tool.ts";
export { fingerprintShape, fingerprintTool } from "./fingerprint-tool.ts";
export { isSameTool, nameToCall, namesToTrust, withForms } from "./tool-forms.ts";
export { checkToolName, toolNameProblem } from "./tool-name.ts";
export { type AnthropicTool, toAnthropicTools } from "./wire-format-anthropic.ts";
export { type GeminiFunction, type GeminiTool, toGeminiTools } from "./wire-format-gemini.ts";
export { type McpAnnotations, type McpTool, toMcpHints, toMcpTools } from "./wire-format-mcp.ts";
export { type OpenAITool, type WireFormatOptions, toOpenAITools } from "./wire-format-openai.ts";
export { type WireProvider, fitToolName } from "./wire-name-rules.ts";
export { type WireNames, createWireNames } from "./wire-names.ts";
export type {
  CallTool,
  CompositeContext,
  Elicit,
  Log,
  ElicitRequest,
  ElicitResult,
  Secrets,
  ToolContext,
} from "./context.ts";
export type { Jsonify } from "./tool.ts";
export { type Registration, type ToolOffer, builtinOwner, isWorkspaceTool } from "./registration.ts";
export {
  type Origin,
  type RegisteredTools,
  type RegistryChange,
  type RegistryListener,
  ToolRegistry,
} from "./registry.ts";
export {
  type Attachment,
  type Ok,
  type ResultMeta,
  type HandlerValue,
  type ToolError,
  type ToolResult,
  type ToolSuccess,
  isOk,
  ok,
  snakeKeys,
  toDict,
  toWireFailure,
  toWireResult,
} from "./result.ts";
export { type OmittedTool, describeMissingSources, readSourceReport } from "./source-report.ts";
export {
  type AnyTool,
  type CachePolicy,
  type ContractMapping,
  type CoveredCall,
  type Effect,
  type HandlerReturn,
  type InputOf,
  type OutputOf,
  type TargetKind,
  type Tool,
  type ToolInfo,
  type ToolStatus,
  effectLabel,
  isTool,
  isUsable,
  knownCategories,
  targetKinds,
  toolBrand,
} from "./tool.ts";
export { type ImportOptions, describeError, importFresh } from "./entry-module.ts";
export { importHint, nearestPackage } from "./import-hint.ts";
export type { PromptContext, PromptSender, ToolPrompt } from "./entry-prompt.ts";
export { type EntryTemplate, referencesIn, valueAt } from "./entry-template.ts";
export type { EntryHttpClient, RefuseNeeds, ToolDirectory } from "./entry-plan.ts";
export { entryReceiver, hostIn } from "./entry-receiver.ts";
export { type NeededCommand, type SentSecret, type ToolNeeds, toolNeeds } from "./tool-needs.ts";
export { readResponse } from "./entry-response.ts";
export { type ParsedToolFile, type ToolFileOptions, parseToolFile, readPromptFile } from "./tool-file.ts";
export { readParameterMap } from "./parameter-map.ts";
export { readParameterList } from "./tool-file-parameters.ts";
export {
  lacksDash,
  parameterListSchema,
  parameterMapSchema,
  parameterSchema,
  toolFileSchema,
} from "./tool-file-schema.ts";
export { readTypeSchema } from "./tool-file-type-schema.ts";
