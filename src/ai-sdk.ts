/**
 * The AI SDK, both ways: `windlass/ai-sdk`. Tools of an engine for `generateText`, `streamText` and `ToolLoopAgent`, and
 * tools of the AI SDK for an engine. Models need nothing: a model of the AI SDK is one of ours, and the other way round.
 *
 * @packageDocumentation
 */
export * from "./adapters/ai-sdk/index.ts";
