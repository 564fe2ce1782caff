/**
 * Tools for tests of agents and tools: models that respond by a script, in the process or over the wire, and
 * recordings of real model responses.
 *
 * @packageDocumentation
 */
export { type RecordModelOptions, recordModel } from "./testing/model/cassette/record-model.ts";
export { type ReplayModel, replayModel } from "./testing/model/cassette/replay-model.ts";
export { type Script, type ScriptEntry } from "./testing/model/script.ts";
export {
  type ModelServer,
  type ModelServerOptions,
  type ReceivedRequest,
  type ModelServerResponse,
  modelServer,
} from "./testing/model/server/model-server.ts";
export type { WireApiName, ReasoningField, WireRequest } from "./testing/model/server/wire-api.ts";
export type { ErrorResponse, HangingResponse, WireFaults } from "./testing/model/server/wire-api.ts";
export type { ServerTurn } from "./testing/model/server/wire-turn.ts";
export {
  type ScriptedResponse,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedPart,
  type ScriptedPause,
  type ScriptedText,
  type ScriptedToolCall,
  type ScriptedTurn,
  type ScriptedUsage,
  scriptedModel,
} from "./testing/model/scripted-model.ts";
