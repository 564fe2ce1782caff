/**
 * What goes between the engine and a model: `windlass/agent`. Tools in the formats of the providers, a model's tool
 * calls in and tool messages out, and sub-agents.
 *
 * @packageDocumentation
 */
export * from "./agent/index.ts";
export { parseArguments } from "./schema/index.ts";
export {
  type AnthropicTool,
  type GeminiFunction,
  type GeminiTool,
  type McpAnnotations,
  type McpTool,
  type OpenAITool,
  type WireFormatOptions,
  type WireNames,
  type WireProvider,
  createWireNames,
  toAnthropicTools,
  toGeminiTools,
  toMcpTools,
  toOpenAITools,
} from "./tool/index.ts";
