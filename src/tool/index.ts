/**
 * The definition of tools: `defineTool`, tool files, the registry, results, and the formats in which models see tools.
 *
 * Belongs here: the definition of tools and their conversion. Executing a call belongs to `engine/`.
 *
 * Must stay true: a tool declares all facts about itself (effect, destructive, targets, sends); no other file lists
 * tool names. An unknown effect is `once`. A tool file and a tool in code become the same `AnyTool`. A run resumes only
 * if the fingerprints of its tools are the same, so they change on purpose; `test/pins` holds former ones.
 *
 * Test: `npm run vitest -- run src/tool test/file-forms.test.ts test/pins/former-fingerprints.test.ts`
 */

export * from "./command-files.ts";
export * from "./define-tool.ts";
export * from "./fingerprint-tool.ts";
export * from "./tool-forms.ts";
export * from "./tool-name.ts";
export * from "./wire-formats.ts";
export * from "./wire-name-rules.ts";
export * from "./wire-names.ts";
export type * from "./context.ts";
export * from "./registration.ts";
export * from "./registry.ts";
export * from "./result.ts";
export * from "./source-report.ts";
export * from "./tool.ts";
export * from "./entry-module.ts";
export * from "./import-hint.ts";
export type * from "./entry-prompt.ts";
export * from "./entry-template.ts";
export type * from "./entry-plan.ts";
export * from "./changed-defaults.ts";
export * from "./tool-needs.ts";
export * from "./entry-response.ts";
export * from "./tool-file.ts";
export * from "./parameter-map.ts";
export * from "./tool-file-parameters.ts";
export * from "./tool-file-schema.ts";
export * from "./tool-file-type-schema.ts";
