export { redactFailure, redactIssue } from "./redact-value.ts";
export type { RedactedStream } from "./redacted-stream.ts";
export { type GrowingRedactor, type Redactor, createRedactor, processSecrets, rememberSecrets } from "./redactor.ts";
export { isSecretName } from "./secret-names.ts";
export { isWeakSecret, isPlaceholder } from "./weak-secrets.ts";
