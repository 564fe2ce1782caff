/**
 * Models that use tools: `windlass/agent`. Agents and their runners, families of models; and for loops of your own, tools
 * in the formats of the providers, a model's tool calls in and tool messages out.
 *
 * @packageDocumentation
 */
export * from "./agent/index.ts";
export {
  type Budget,
  type BudgetLimits,
  type FamilyHabits,
  type Model,
  type ModelCall,
  type ModelClient,
  type ModelFamily,
  type ModelPrice,
  type ModelSettings,
  type ModelTurn,
  type OfferedTool,
  type RawToolCall,
  type ReadPiece,
  type TextReader,
  type Thinking,
  type TokenUsage,
  type TurnDelta,
  type TurnOptions,
  type TurnPart,
  askTurn,
  baseFamily,
  createBudget,
  createTextReader,
  fallbackModel,
  familyOf,
  openModel,
  registerFamily,
  toAssistantMessage,
} from "./model/index.ts";
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
