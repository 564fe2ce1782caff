/**
 * Tools for tests of users, exported as `windlass/testing`: scripted models, model servers, cassettes, mock tools,
 * replay.
 *
 * Belongs here: parts with which users test their tools, chains and agents. Helpers of our own tests are in
 * `test/support`.
 *
 * Must stay true: nothing here reaches the network, except a server on loopback. A mock replaces a tool, never the
 * engine: limits, permissions and validation apply in tests, too. A replayed run is deterministic.
 *
 * Test: `npm run vitest -- run src/testing`
 */

export * from "./chain/mock-tools.ts";
export * from "./chain/replay-chain.ts";
export * from "./chain/run-cassette.ts";
export * from "./model/scripted-model.ts";
export type * from "./model/scripted-response.ts";
