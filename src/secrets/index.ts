/**
 * Secrets in values, streams and errors: finding and redacting them.
 *
 * Belongs here: the forms and encodings of a secret, and the `Redactor` that replaces it. The layers above decide where
 * to redact: every value that leaves the process passes through a redactor there.
 *
 * Must stay true: redaction is linear in its input and never throws. A secret that is split over two chunks of a stream
 * is found. A value without secrets is returned unchanged, as the same reference. Text that only looks like a secret is
 * redacted in records, logs and events, but not in results that the caller requested.
 *
 * Test: `npm run vitest -- run src/secrets test/redaction.test.ts`
 */

export * from "./redact-value.ts";
export type * from "./redacted-stream.ts";
export * from "./redactor.ts";
export * from "./secret-names.ts";
export * from "./find-secrets.ts";
