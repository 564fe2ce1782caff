export {
  type Mock,
  type MockAnswer,
  type MockCall,
  type MockHandler,
  type MockOptions,
  type MockTools,
  mock,
  mockTools,
} from "./chain/mock-tools.ts";
export {
  type ReplayResult,
  type ReplayDifference,
  type ReplayChainOptions,
  replayChain,
} from "./chain/replay-chain.ts";
export { type RunCassette, type RunCassetteOptions, type RecordedCall, toRunCassette } from "./chain/run-cassette.ts";
export { type ScriptedModel, scriptedModel } from "./model/scripted-model.ts";
export type { ScriptedResponse, ScriptedPart, ScriptedText } from "./model/scripted-response.ts";
