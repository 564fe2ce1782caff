/**
 * Schemas: one in any dialect becomes a `Schema`, which returns a typed value or readable issues. Tables of settings.
 *
 * Belongs here: validation, defaults, JSON Schema, the Standard Schema interface, and `Setting`, from which the
 * settings of all layers are derived.
 *
 * Must stay true: `validate` never throws, and is synchronous unless the schema itself is asynchronous. An issue says
 * what to change, as a message for a model. Patterns run in linear time. Importing this folder loads neither Zod nor a
 * validator; `lazy-loading.test.ts` checks it.
 *
 * Test: `npm run vitest -- run src/schema test/settings.test.ts`
 */

export * from "./file-report.ts";
export * from "./from-json-schema.ts";
export * from "./from-standard.ts";
export * from "./parse-arguments.ts";
export * from "./pattern.ts";
export * from "./subschemas.ts";
export * from "./rule.ts";
export * from "./setting.ts";
export * from "./to-options.ts";
export * from "./settings-schema.ts";
export type * from "./schema.ts";
export * from "./show-value.ts";
export * from "./standard-schema.ts";
export type * from "./json-type.ts";
export * from "./to-schema.ts";
export * from "./unknown-keys.ts";
