import { type Tool, defineTool } from "../../tool/index.ts";
import { dataLimits } from "./data-limits.ts";
import { type JsonOperationName, jsonOperations } from "./json/json-operations.ts";
import { describeOperations, refuseUnused, operationSchema } from "./operation.ts";
import type { JsonProcessInput, JsonResult } from "./process-json.ts";

/** Output of `json_process`. */
type JsonProcessOutput = JsonResult & { readonly operation: JsonOperationName };

const flag = (description: string): Record<string, unknown> => ({ type: "boolean", description });
const path = (description: string): Record<string, unknown> => ({
  anyOf: [{ type: "string" }, { type: "array", items: { type: ["string", "integer"] } }],
  description,
});

const properties = {
  operation: {
    type: "string",
    enum: Object.keys(jsonOperations),
    description: describeOperations(jsonOperations),
  },
  data: {
    description: `The data: any JSON value, or JSON text (CSV text for csv_to_json) of at most ${dataLimits.jsonIn} characters.`,
  },
  path: path(
    "query: a JSONPath (RFC 9535). get, set: one location, as items[0].url, /items/0/url or a list of its parts.",
  ),
  default: { description: "get: the result if there is nothing at the path. Default: null." },
  value: { description: "set: the new value." },
  keys: {
    type: "array",
    items: path("One location."),
    maxItems: 1000,
    description: "pick, omit: keys or paths; lists on the way are traversed, as in items.name.",
  },
  other: { description: "merge, diff: the second value or JSON text." },
  lists: {
    type: "string",
    enum: ["replace", "concat"],
    default: "replace",
    description: "merge: whether a list of the second replaces that of the first or is appended to it.",
  },
  patch: { description: "patch: a JSON Patch (RFC 6902), a list of { op, path, value, from }." },
  delimiter: {
    type: "string",
    minLength: 1,
    maxLength: 1,
    description: "csv_to_json, json_to_csv: one character. Default: detected (csv_to_json), a comma (json_to_csv).",
  },
  header: { ...flag("csv_to_json, json_to_csv: the first row names the columns."), default: true },
  infer: { ...flag("csv_to_json: read numbers, true, false and empty cells as such, not as text."), default: false },
  columns: { type: "array", items: { type: "string" }, description: "json_to_csv: the columns, in this order." },
  escape_formulas: {
    ...flag("json_to_csv: escape texts that a spreadsheet would run as formulas."),
    default: false,
  },
  key: path("sort_by, group_by, unique: path of the value in each item. Default: the item itself."),
  order: { type: "string", enum: ["asc", "desc"], default: "asc", description: "sort_by: ascending or descending." },
  schema: { description: "validate: a JSON Schema, as an object or JSON text." },
  indent: { type: "integer", minimum: 0, maximum: 8, default: 2, description: "format: spaces for each level." },
  sort_keys: { ...flag("format, minify: keys in alphabetical order."), default: false },
};

/** The tool `json_process`: one operation on JSON or CSV data. */
export const jsonProcessTool: Tool<JsonProcessInput, JsonProcessInput, JsonProcessOutput> = defineTool({
  name: "json_process",
  description:
    "Performs one exact operation on JSON data (a value or JSON text) and returns { operation, result }: query by JSONPath, " +
    "get, set, pick, omit, merge, diff, patch, flatten, unflatten, csv_to_json, json_to_csv, sort_by, group_by, unique, " +
    "validate against a JSON Schema, format, minify. Use it to reshape or check data instead of rewriting it yourself.",
  displayName: "JSON processing",
  category: "data",
  tags: ["json", "csv", "jsonpath"],
  capabilities: ["json", "csv", "transform", "数据处理", "转换"],
  effect: "pure",
  timeoutMs: 10_000,
  input: operationSchema<JsonProcessInput>(
    {
      type: "object",
      properties,
      required: ["operation", "data"],
      additionalProperties: false,
      examples: [
        { operation: "query", data: { items: [{ name: "a" }, { name: "b" }] }, path: "$.items[*].name" },
        { operation: "csv_to_json", data: "name;age\nAnn;31\nBob;27", infer: true },
        { operation: "merge", data: { a: { b: 1 } }, other: { a: { c: 2 } } },
        { operation: "diff", data: { a: 1 }, other: { a: 2 } },
      ],
    },
    Object.keys(jsonOperations),
  ),
  output: {
    type: "object",
    properties: {
      operation: { type: "string" },
      result: { description: "What the operation gives." },
      found: { type: "boolean", description: "query, get: true if there was something at the path." },
      inexact: {
        type: "boolean",
        description: "Integers of more than 16 digits were rounded; format and minify keep them.",
      },
    },
    required: ["operation", "result"],
  },
  run: async (args, { signal }) => {
    const { takes } = jsonOperations[args.operation];
    refuseUnused(args, { operation: args.operation, takes, always: ["data"], properties });
    const { dataThread } = await import("./data-thread.ts");
    return { operation: args.operation, ...(await dataThread.do({ json: args }, signal)) };
  },
});
