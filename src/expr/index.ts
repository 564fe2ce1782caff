/**
 * The expressions in `${…}`, templates and the guarded JSONPath of `select`.
 *
 * Belongs here: parsing, checking and evaluating an expression. It knows steps only through a `Scope`.
 *
 * Must stay true: an expression is compiled once and evaluated within `limits`, so a hostile one takes milliseconds.
 * There is no `eval` and no `new Function`. Reading a property never runs code and never reads a prototype. A secret is
 * a handle that only `openSecrets` opens, for a call that is about to run.
 *
 * Test: `npm run vitest -- run src/expr`
 */

export * from "./compile-condition.ts";
export * from "./compile-expression.ts";
export * from "./select-query.ts";
export * from "./compile-template.ts";
export * from "./compile-value.ts";
export * from "./expression-error.ts";
export type * from "./evaluation-frame.ts";
export * from "./function-names.ts";
export { limits as expressionLimits } from "./limits.ts";
export * from "./scope.ts";
export * from "./open-secrets.ts";
export * from "./reference.ts";
export * from "./secret-handle.ts";
