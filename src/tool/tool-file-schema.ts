import { type JsonSchema, isRecord } from "../schema/index.ts";
import { knownCategories, targetKinds } from "./tool.ts";

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

/** Keys allowed in `validation`, by the parameter's type. */
export const validationSchemas: Readonly<Record<ParameterType, JsonSchema>> = {
  string: closed({
    pattern: { ...text, description: "A regular expression without lookaround or backreferences." },
    min_length: { ...count, description: "The smallest number of characters allowed." },
    max_length: { ...count, description: "The largest number of characters allowed." },
    enum: { type: "array", minItems: 1, description: "The values allowed." },
  }),
  number: closed(numbers),
  integer: closed(numbers),
  boolean: closed({}),
  array: closed({
    items: { ...shape, description: "The type of the items." },
    min_items: { ...count, description: "The smallest number of items allowed." },
    max_items: { ...count, description: "The largest number of items allowed." },
  }),
  object: closed({
    properties: { ...shapes, description: "The types of the properties, by name." },
    required: { ...names, description: "Names of properties that must be present." },
  }),
};

const parameterKeys = {
  name: { ...text, description: "How callers name it." },
  type: { enum: parameterTypes, description: "The type of its values." },
  required: { ...flag, description: "Callers must pass it. Default: false." },
  default: { description: "Default value if the caller omits it." },
  description: { type: "string", description: "For people and models." },
  validation: { type: "object" },
};

/** A parameter, before its `validation` is checked. */
export const parameterSchema: JsonSchema = { ...closed(parameterKeys), required: ["name", "type"] };

/** Parameters as a map of names and types, as the inputs of chains. */
export const parameterMapSchema = {
  type: "object",
  additionalProperties: {
    title: 'a type such as string, number=3, string="memory" or string[]?, or a map that describes one',
    anyOf: [{ type: "string", minLength: 1 }, { type: "object" }],
    examples: ["string", "number=3", 'string="memory"', "string[]?", "integer", "boolean", "object", "any"],
  },
} as const;

/** The kinds of `entry`. */
export const entrySchemas: Readonly<Record<EntryKind, JsonSchema>> = {
  builtin: {
    ...closed({
      type: { const: "builtin" },
      handler: { ...text, description: "The built-in executor that runs the tool." },
    }),
    required: ["type", "handler"],
  },
  http: {
    ...closed({
      type: { enum: ["http", "external"] },
      url: { ...text, description: "May contain ${input.x} and ${secret.X} after the host." },
      method: { enum: ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] },
      headers: scalars,
      query: { type: "object", description: "Query parameters of the URL; a list repeats the parameter." },
      body: { description: "Text, or a map or list that is sent as JSON." },
      result: { enum: ["response", "body"], description: "The output of the tool: the whole response, or its body." },
      timeout: duration,
    }),
    required: ["type", "url"],
  },
  command: {
    ...closed({
      type: { enum: ["command", "external"] },
      command: {
        type: "array",
        minItems: 1,
        items: { type: "string" },
        description: "The program and its arguments; no shell.",
      },
      stdin: { description: "Input of the program; a map or list is sent as JSON." },
      output: { enum: ["text", "json"], description: "Format of the program's output." },
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
      export: { ...text, description: "Name of the export. Default: the default export, or the only one." },
    }),
    required: ["type", "module"],
  },
  prompt: {
    ...closed({
      type: { const: "prompt" },
      prompt: {
        ...text,
        description:
          "The message to the model, with ${input.x} as data. A paragraph whose parameter is absent is omitted.",
      },
      system: { ...text, description: "The role and the task of the model; without references." },
      model: { ...text, description: "Name of a model of the workspace. Default: its default model." },
      temperature: { type: "number", minimum: 0, maximum: 2 },
      max_tokens: { type: "integer", minimum: 1, description: "Maximum number of tokens of the answer." },
      timeout: { ...duration, description: "Default: 2m, or the timeout of the model if that is longer." },
    }),
    required: ["type", "prompt"],
  },
};

/** The kind of implementation that runs a tool. */
export type EntryKind = "builtin" | "http" | "command" | "custom" | "prompt";

/** The keys of the file, each with its schema. */
const keys = {
  name: { ...text, description: "Name by which the tool is called." },
  version: { ...text, description: "Default: 1.0.0." },
  description: { ...text, description: "Describes the tool for people and models." },
  category: { ...text, description: `Such as ${knownCategories.join(", ")}.`, examples: knownCategories },
  tags: names,
  parameters: { type: "array", items: parameterSchema },
  examples: { type: "array", items: { type: "object" }, description: "Arguments of typical calls." },
  entry: { type: "object" },
  output: shape,
  id: { ...text, description: "Default: the name." },
  status: { enum: ["active", "deprecated", "draft", "disabled"] },
  display_name: { ...text, description: "The name people see." },
  aliases: { ...names, description: "Other names of the same tool." },
  capabilities: { ...names, description: "Capabilities that the tool provides, such as search." },
  effect: { enum: ["pure", "read", "idempotent", "once"], description: "May it run again?" },
  destructive: { ...flag, description: "Calls need approval first. Default: by the entry and the effect." },
  targets: {
    type: "object",
    additionalProperties: { enum: targetKinds },
    description:
      "Parameters that decide what a call acts on, such as { address: url }: a call needs approval if untrusted content decides them.",
  },
  sends: { ...flag, description: "Calls send data to others: permission rules can select the tool with sends." },
  timeout: duration,
  cache: { ...closed({ ttl: duration }), required: ["ttl"] },
  always_enabled: flag,
  background: flag,
  gated: flag,
};

const required = ["name", "description", "entry"];

/** The file, before its parts of several kinds (`parameters[].validation`, `entry`) are checked. */
const fileSchema: JsonSchema = { ...closed(keys), required };

const fileSchemaWithMap: JsonSchema = { ...closed({ ...keys, parameters: parameterMapSchema }), required };

/** True for `{ name: item, type: string }` in place of a list: the one item of the list lacks its dash. */
export function lacksDash(parameters: unknown): parameters is Readonly<Record<string, unknown>> {
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) return false;
  const { name, type } = parameters as Record<string, unknown>;
  return (
    typeof name === "string" && !/^(?:string|number|integer|boolean|array|object|any)\b/.test(name) && isType(type)
  );
}

function isType(type: unknown): boolean {
  return parameterTypes.some((name) => name === type);
}

/** The schema for a file whose parameters have this form. */
export function fileSchemaFor(parameters: unknown): JsonSchema {
  if (lacksDash(parameters)) return { ...fileSchema, properties: { ...keys, parameters: {} } };
  return isRecord(parameters) ? fileSchemaWithMap : fileSchema;
}

/** The tool file format as JSON Schema, for editors. The parser reads its tables from the same parts. */
export const toolFileSchema: JsonSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Windlass tool file",
  ...fileSchema,
  properties: {
    ...keys,
    parameters: { anyOf: [parameterListSchema(), parameterMapSchema] },
    entry: { oneOf: Object.values(entrySchemas) },
  },
};

/** Parameters as a list, as JSON Schema for editors. */
export function parameterListSchema(): JsonSchema {
  return { type: "array", items: { oneOf: parameterTypes.map(parameterOfType) } };
}

function parameterOfType(type: ParameterType): JsonSchema {
  return {
    ...parameterSchema,
    properties: {
      ...parameterKeys,
      type: { ...parameterKeys.type, enum: [type] },
      validation: validationSchemas[type],
    },
  };
}

function closed(properties: Record<string, unknown>): {
  readonly type: "object";
  readonly properties: Readonly<Record<string, unknown>>;
  readonly additionalProperties: false;
} {
  return { type: "object", properties, additionalProperties: false };
}
