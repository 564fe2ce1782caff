/**
 * OpenTelemetry: `windlass/otel`. Spans of tool calls, of runs of chains and agents, and of model requests, by the
 * semantic conventions for generative AI. Requires a registered SDK; without one it does nothing.
 *
 * @packageDocumentation
 */
export * from "./adapters/otel/index.ts";
