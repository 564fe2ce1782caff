/**
 * LangChain, both ways: `windlass/langchain`. Tools of an engine for LangChain's agents and LangChain's tools for an
 * engine; any chat model of LangChain as a model of ours, and a model of ours as a chat model. Needs `@langchain/core`.
 *
 * @packageDocumentation
 */
export * from "./adapters/langchain/index.ts";
