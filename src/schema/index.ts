export { type ProblemDetail, FileReport, isYamlMap, isOfType } from "./file-report.ts";
export { fromJsonSchema } from "./from-json-schema.ts";
export { fromStandard } from "./from-standard.ts";
export { forbiddenKeys, parseArguments } from "./parse-arguments.ts";
export { type Pattern, compilePattern } from "./pattern.ts";
export { resolveRef } from "./resolve-ref.ts";
export { type Rule, ruleIssue } from "./rule.ts";
export {
  type FileOf,
  type OptionsOf,
  type Setting,
  type SettingFormat,
  type SettingsTable,
  defaultOf,
  settingKey,
} from "./setting.ts";
export { optionRule, parseSize, toOptions } from "./to-options.ts";
export { describeSetting, settingsSchema } from "./settings-schema.ts";
export type { JsonSchema, Schema, SyncSchema, Validation } from "./schema.ts";
export { showValue } from "./show-value.ts";
export { type StandardSchema, isStandardSchema } from "./standard-schema.ts";
export { type SubSchema, isRecord, mapSubSchemas, setOwn, subSchemas } from "./subschemas.ts";
export type { JsonOutput } from "./json-type.ts";
export { type AnySchema, type PlainJsonSchema, type SchemaInput, type SchemaOutput, toSchema } from "./to-schema.ts";
export { declaredJsonSize, unknownKeys, validateDeclared, withoutUnknownKeys } from "./unknown-keys.ts";
