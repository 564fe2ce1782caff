export type { AskLimits } from "./ask-model.ts";
export { brokenModel } from "./broken-model.ts";
export { type GeneratedObject, type ObjectOptions, generateObject } from "./generate-object.ts";
export { type GeneratedText, type TextOptions, generateText } from "./generate-text.ts";
export type { FinishReason, Model, ModelAnswer, ModelCall } from "./model.ts";
export { modelFailure } from "./model-reasons.ts";
export {
  type ModelFile,
  type ModelSettings,
  type ModelSources,
  modelVariables,
  readModelSettings,
} from "./model-settings.ts";
export { noModel } from "./no-model.ts";
export { openModel } from "./open-model.ts";
export { type ScriptedAnswer, type ScriptedModel, type ScriptedText, scriptedModel } from "./scripted-model.ts";
export type { ChatMessage, Question } from "./to-prompt.ts";
export { type TokenUsage, addUsage, noTokens } from "./token-usage.ts";
