export * from "./chain/mock-tools.ts";
export * from "./chain/replay-chain.ts";
export * from "./chain/run-cassette.ts";
export * from "./model/scripted-model.ts";
export type * from "./model/scripted-response.ts";
