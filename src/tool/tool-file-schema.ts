import type { JsonSchema } from "../schema/index.ts";
import { knownCategories } from "./tool.ts";

/** The types a parameter may have. */
export const parameterTypes = ["string", "number", "integer", "boolean", "array", "object"] as const;

/** One of {@link parameterTypes}. */
export type ParameterType = (typeof parameterTypes)[number];

const text = { type: "string", minLength: 1 };
const names = { type: "array", items: text };
const flag = { type: "boolean" };
const count = { type: "integer", minimum: 0 };
const duration = {
  title: 'seconds above 0, or text such as "500ms", "30s", "2m" or "1h"',
  anyOf: [
    { type: "number", exclusiveMinimum: 0 },
    { type: "string", pattern: "^\\s*\\d+(\\.\\d+)?\\s*(ms|s|m|h)\\s*$" },
  ],
};
const shape = {
  title: `a type (${parameterTypes.join(", ")}, any) or a map that describes one`,
  anyOf: [{ enum: [...parameterTypes, "any"] }, { type: "object" }],
};
const shapes = { type: "object", additionalProperties: shape };
const scalar = { title: "text, a number or true/false", anyOf: [{ type: ["string", "number", "boolean"] }] };
const scalars = { type: "object", additionalProperties: scalar };

const numbers = {
  min: { type: "number", description: "The smallest value allowed." },
  max: { type: "number", description: "The largest value allowed." },
  enum: { type: "array", minItems: 1, description: "The values allowed." },
};

/** What `validation` may hold, by the parameter's type. */
export const validationSchemas: Readonly<Record<ParameterType, JsonSchema>> = {
  string: closed({
    pattern: { ...text, description: "A regular expression without lookaround or backreferences." },
    min_length: count,
    max_length: count,
    enum: { type: "array", minItems: 1, description: "The values allowed." },
  }),
  number: closed(numbers),
  integer: closed(numbers),
  boolean: closed({}),
  array: closed({ items: shape, min_items: count, max_items: count }),
  object: closed({ properties: shapes, required: names }),
};

const parameterKeys = {
  name: { ...text, description: "How callers name it." },
  type: { enum: parameterTypes },
  required: { ...flag, description: "Must callers give it? false where absent." },
  default: { description: "Used when a caller leaves it out." },
  description: { type: "string", description: "For people and models." },
  validation: { type: "object" },
};

/** A parameter, before its `validation` is looked at. */
export const parameterSchema: JsonSchema = { ...closed(parameterKeys), required: ["name", "type"] };

/** The kinds of `entry`. */
export const entrySchemas: Readonly<Record<EntryKind, JsonSchema>> = {
  builtin: {
    ...closed({
      type: { const: "builtin" },
      handler: { ...text, description: "The built-in executor that does the work." },
    }),
    required: ["type", "handler"],
  },
  http: {
    ...closed({
      type: { const: "external" },
      url: { ...text, description: "With ${input.x} and ${secret.X} behind the host." },
      method: { enum: ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] },
      headers: scalars,
      query: { type: "object", description: "Parameters of the URL; a list gives one several times." },
      body: { description: "Text, or a map or list that is sent as JSON." },
      result: { enum: ["response", "body"], description: "What the tool gives: the whole response, or its body." },
      timeout: duration,
    }),
    required: ["type", "url"],
  },
  command: {
    ...closed({
      type: { const: "external" },
      command: {
        type: "array",
        minItems: 1,
        items: { type: "string" },
        description: "The program and its arguments; no shell.",
      },
      stdin: { description: "Sent to the program; a map or list as JSON." },
      output: { enum: ["text", "json"], description: "How to read what the program prints." },
      env: { ...scalars, description: "Added to PATH, HOME and LANG." },
      cwd: { ...text, description: "A folder of the workspace." },
      timeout: duration,
    }),
    required: ["type", "command"],
  },
  custom: {
    ...closed({
      type: { const: "custom" },
      module: { ...text, description: "A module of the workspace, relative to this file." },
      export: { ...text, description: "Which of its exports; its default or its only one where absent." },
    }),
    required: ["type", "module"],
  },
};

/** Where the work of a tool is done. */
export type EntryKind = "builtin" | "http" | "command" | "custom";

/** The keys of the file, each with what it may hold. */
const keys = {
  name: { ...text, description: "How the tool is called." },
  version: { ...text, description: "1.0.0 where absent." },
  description: { ...text, description: "What the tool does, for people and models." },
  category: { ...text, description: `Such as ${knownCategories.join(", ")}.`, examples: knownCategories },
  tags: names,
  parameters: { type: "array", items: parameterSchema },
  entry: { type: "object" },
  output: shape,
  id: { ...text, description: "The name where absent." },
  status: { enum: ["active", "deprecated", "draft", "disabled"] },
  display_name: { ...text, description: "The name people see." },
  aliases: { ...names, description: "Other names of the same tool." },
  capabilities: { ...names, description: "What the tool can stand in for, such as search." },
  effect: { enum: ["pure", "read", "idempotent", "once"], description: "May it run again?" },
  destructive: { ...flag, description: "Should someone be asked first?" },
  timeout: duration,
  cache: { ...closed({ ttl: duration }), required: ["ttl"] },
  always_enabled: flag,
  background: flag,
  gated: flag,
};

/** The file, before its parts of several kinds (`parameters[].validation`, `entry`) are looked at. */
export const fileSchema: JsonSchema = { ...closed(keys), required: ["name", "description", "entry"] };

/** The tool file format as JSON Schema, for editors. The parser reads its tables from the same parts. */
export const toolFileSchema: JsonSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Windlass tool file",
  ...fileSchema,
  properties: {
    ...keys,
    parameters: { type: "array", items: { oneOf: parameterTypes.map(parameterOfType) } },
    entry: { oneOf: Object.values(entrySchemas) },
  },
};

function parameterOfType(type: ParameterType): JsonSchema {
  return {
    ...parameterSchema,
    properties: { ...parameterKeys, type: { const: type }, validation: validationSchemas[type] },
  };
}

function closed(properties: Record<string, unknown>): {
  readonly type: "object";
  readonly properties: Readonly<Record<string, unknown>>;
  readonly additionalProperties: false;
} {
  return { type: "object", properties, additionalProperties: false };
}
