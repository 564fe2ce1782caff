/**
 * OpenTelemetry: `windlass/otel`. Spans of tool calls, of runs of chains and agents, and of the questions to models, by
 * the semantic conventions for generative AI. Needs an SDK that somebody has registered; without one it does nothing.
 *
 * @packageDocumentation
 */
export * from "./adapters/otel/index.ts";
