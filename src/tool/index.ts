export {
  type ArgsFor,
  type ContextFor,
  type InputFor,
  type NoInput,
  type OutputFor,
  type ToolDefinition,
  defineTool,
} from "./define-tool.ts";
export { fingerprintTool } from "./fingerprint-tool.ts";
export { checkToolName, toolNameProblem } from "./tool-name.ts";
export { type AnthropicTool, toAnthropicTools } from "./wire-format-anthropic.ts";
export { type GeminiFunction, type GeminiTool, toGeminiTools } from "./wire-format-gemini.ts";
export { type McpAnnotations, type McpTool, toMcpHints, toMcpTools } from "./wire-format-mcp.ts";
export { type OpenAITool, type WireFormatOptions, toOpenAITools } from "./wire-format-openai.ts";
export { type WireProvider, fitToolName } from "./wire-name.ts";
export { type WireNames, createWireNames } from "./wire-names.ts";
export type {
  CallTool,
  CompositeContext,
  Elicit,
  Log,
  Question,
  QuestionAnswer,
  Secrets,
  ToolContext,
} from "./context.ts";
export type { Jsonified } from "./jsonified.ts";
export {
  type Origin,
  type PresentTools,
  type Registration,
  type RegistryChange,
  type ToolOffer,
  ToolRegistry,
} from "./registry.ts";
export {
  type Attachment,
  type Ok,
  type ResultMeta,
  type Returned,
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
export { type LeftOutTool, missingParts, toldSources } from "./told-sources.ts";
export {
  type AnyTool,
  type CachePolicy,
  type Effect,
  type HandlerReturn,
  type InputOf,
  type OutputOf,
  type Tool,
  type ToolInfo,
  type ToolStatus,
  isTool,
  knownCategories,
  toolBrand,
} from "./tool.ts";
export { type ImportOptions, describeError, importFresh } from "./entry-module.ts";
export { missingPackageHint } from "./missing-package.ts";
export type { HttpPort, ToolLookup } from "./entry-plan.ts";
export { readResponse } from "./entry-response.ts";
export { type ParsedToolFile, type ToolFileOptions, parseToolFile } from "./tool-file.ts";
export { toolFileSchema } from "./tool-file-schema.ts";
export { readShape } from "./tool-file-shape.ts";
