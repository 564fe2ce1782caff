/**
 * LangChain, both ways: `windlass/langchain`. Tools of an engine for LangChain's agents and LangChain's tools for an
 * engine; LangChain chat models as Windlass models, and Windlass models as chat models. Requires `@langchain/core`.
 *
 * @packageDocumentation
 */
export * from "./adapters/langchain/index.ts";
