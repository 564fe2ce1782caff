export * from "./redact-value.ts";
export type * from "./redacted-stream.ts";
export * from "./redactor.ts";
export * from "./secret-names.ts";
export * from "./weak-secrets.ts";
