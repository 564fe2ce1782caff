export type { AskLimits } from "./ask-again.ts";
export { brokenModel, faultOf } from "./broken-model.ts";
export { wrongInterface } from "./wrong-interface.ts";
export { findJson } from "./find-json.ts";
export { type GeneratedObject, type ObjectOptions, generateObject } from "./generate-object.ts";
export { type GeneratedText, type TextOptions, generateText } from "./generate-text.ts";
export type { FinishReason, Model, ModelAnswer, ModelCall } from "./model.ts";
export { isUnasked, modelFailure } from "./model-reasons.ts";
export { estimateMessage, estimatePart, type PromptPart } from "./estimate-call.ts";
export { type Budget, type BudgetLimits, createBudget } from "./budget.ts";
export { fallbackModel } from "./fallback-model.ts";
export {
  type ModelFile,
  type ModelSettings,
  type ModelSources,
  type ModelsFile,
  defaultModel,
  modelClients,
  modelNames,
  readModelSettings,
  secretName,
  unknownModel,
} from "./model-settings.ts";
export { type Models, openModels } from "./open-models.ts";
export { serviceKeys } from "./known-services.ts";
export { type ModelDoors, createModelDoors } from "./model-doors.ts";
export { modelVariables } from "./model-variables.ts";
export { howToHaveModel, noModel } from "./no-model.ts";
export { openModel } from "./open-model.ts";
export { unusableAnswer } from "./unusable-answer.ts";
export { type ScriptedAnswer, type ScriptedModel, type ScriptedText, scriptedModel } from "./kit/scripted-model.ts";
export type { ChatMessage, Question } from "./to-prompt.ts";
export { type ModelPrice, type TokenUsage, addUsage, noTokens } from "./token-usage.ts";
export type { ScriptedPart } from "./kit/scripted-model.ts";
export { askTurn } from "./turn/ask-turn.ts";
export type { TurnOptions } from "./turn/turn-options.ts";
export {
  type ModelTurn,
  type TurnDelta,
  type TurnPart,
  type TurnToolCall,
  textOfTurn,
  toolCallsOf,
} from "./turn/model-turn.ts";
export { type AssistantMessage, toAssistantMessage } from "./turn/to-assistant-message.ts";
export { baseFamily } from "./family/base-family.ts";
export { familyOf, registerFamily } from "./family/family-of.ts";
export type {
  FamilyHabits,
  ModelClient,
  ModelFamily,
  OfferedTool,
  RawToolCall,
  Thinking,
} from "./family/model-family.ts";
export { type ReadPiece, type TextReader, createTextReader } from "./family/text-reader.ts";
