/**
 * The AI SDK, both ways: `windlass/ai-sdk`. Tools of an engine for `generateText`, `streamText` and `ToolLoopAgent`, and
 * tools of the AI SDK for an engine. Models need no adapter: an AI SDK model is a Windlass model, and vice
 * versa.
 *
 * @packageDocumentation
 */
export * from "./adapters/ai-sdk/index.ts";
