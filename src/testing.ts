/**
 * What tests of agents and tools need: models that answer by a script, in the process or over the wire, and recordings
 * of what a real one said.
 *
 * @packageDocumentation
 */
export { type RecordOptions, recordModel } from "./model/kit/cassette/record-model.ts";
export { type ReplayModel, replayModel } from "./model/kit/cassette/replay-model.ts";
export { type Script, type ScriptEntry } from "./model/kit/script.ts";
export {
  type ModelServer,
  type ModelServerOptions,
  type ReceivedRequest,
  type ServerAnswer,
  modelServer,
} from "./model/kit/server/model-server.ts";
export type { FamilyName, ReasoningField, WireRequest } from "./model/kit/server/wire-family.ts";
export type { ErrorAnswer, HangingAnswer, WireFaults } from "./model/kit/server/wire-fault.ts";
export type { ServerTurn } from "./model/kit/server/wire-turn.ts";
export {
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedPart,
  type ScriptedPause,
  type ScriptedText,
  type ScriptedToolCall,
  type ScriptedTurn,
  type ScriptedUsage,
  scriptedModel,
} from "./model/kit/scripted-model.ts";
