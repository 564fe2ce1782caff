export type { ModelRequestLimits } from "./errors/retry-with-backoff.ts";
export { brokenModel, faultOf } from "./broken-model.ts";
export { wrongInterface } from "./errors/unsupported-model.ts";
export { findJson } from "./find-json.ts";
export { type GenerateObjectResult, type GenerateObjectOptions, generateObject } from "./generate-object.ts";
export { type GenerateTextResult, type GenerateTextOptions, generateText } from "./generate-text.ts";
export type { FinishReason, Model, ModelGenerateResult, ModelCall } from "./port/model.ts";
export { isModelMissing, modelFailure } from "./port/model-reasons.ts";
export { estimateImages, estimateMessage, estimatePart, type PromptPart } from "./port/estimate-call.ts";
export { type ToolImage, imagesOf, withImages, withoutImages } from "./port/tool-images.ts";
export { imageSupport } from "./turn/prepare-call.ts";
export { type Budget, type BudgetLimits, createBudget } from "./budget.ts";
export { fallbackModel } from "./turn/fallback-model.ts";
export {
  type ModelSettings,
  type ModelSources,
  defaultModel,
  modelNames,
  readModelSettings,
  secretName,
  unknownModel,
} from "./model-settings.ts";
export { type WorkspaceModels, openModels, requireDefaultModel, setDefaultModel } from "./open-models.ts";
export { defaultBaseUrls, serviceKeys } from "./known-services.ts";
export { type ModelHttpClients, createModelHttpClients } from "./model-http-clients.ts";
export { type ModelSettingsFile, type ModelsSettingsFile, modelTable } from "./port/model-table.ts";
export { modelVariables } from "./model-variables.ts";
export { modelSetupHint, noModel } from "./missing-model.ts";
export { openModel } from "./open-model.ts";
export { repairInstruction } from "./repair-instruction.ts";

export type { ChatMessage, ModelPrompt } from "./model-prompt.ts";
export { type ModelPrice, type TokenUsage, addUsage, noTokens } from "./port/token-usage.ts";

export { requestTurn } from "./turn/request-turn.ts";
export type { TurnOptions } from "./turn/turn-options.ts";
export {
  type ModelTurn,
  type TurnDelta,
  type TurnPart,
  type TurnToolCall,
  textOfTurn,
  toolCallsOf,
} from "./port/model-turn.ts";
export { endsWithTextCall } from "./turn/parse-text-calls.ts";
export { type AssistantMessage, toAssistantMessage } from "./turn/to-assistant-message.ts";
export { baseFamily } from "./family/base-family.ts";
export { resolveModelFamily, registerModelFamily } from "./family/resolve-model-family.ts";
export type {
  FamilyOptions,
  ModelClient,
  ModelFamily,
  OfferedTool,
  RawToolCall,
  Thinking,
} from "./port/model-family.ts";
export { type ModelTextPiece, type TextReader, createTextReader } from "./port/text-reader.ts";
