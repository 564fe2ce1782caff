export { type Tracing, type TracingOptions, traceEngine } from "./trace-engine.ts";
