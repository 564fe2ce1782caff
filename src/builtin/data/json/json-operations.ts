import { type Operation, toOperations } from "../operation.ts";

/** The result of each operation, and the parameters that it takes. */
const operations = {
  parse: ["the value of a JSON text"],
  query: ["what a JSONPath such as $.items[*].name matches", "path"],
  get: ["the value at one path", "path", "default"],
  keys: ["list of an object's keys"],
  set: ["with another value at one path", "path", "value"],
  pick: ["only these keys, of each object of a list too", "keys"],
  omit: ["without these keys", "keys"],
  merge: ["with `other` merged in deeply, or the objects of a list merged", "other", "lists"],
  diff: ["JSON Patch that converts it to `other`", "other"],
  patch: ["with a JSON Patch applied", "patch"],
  flatten: ['{ "a.b[0]": … }, one key for each inner value'],
  unflatten: ["the opposite of flatten"],
  csv_to_json: ["list of objects from CSV text", "delimiter", "header", "infer"],
  json_to_csv: ["CSV text of a list", "columns", "delimiter", "header", "escape_formulas"],
  sort_by: ["list in order", "key", "order"],
  group_by: ["list of { key, count, items }", "key"],
  unique: ["list without repetitions", "key"],
  validate: ["{ valid, issues } by a JSON Schema; without one, whether the text is JSON", "schema"],
  format: ["JSON text with line breaks", "indent", "sort_keys"],
  minify: ["JSON text without blanks", "sort_keys"],
} as const;

/** The name of one operation of `json_process`. */
export type JsonOperationName = keyof typeof operations;

/** Every operation of `json_process`. Its schema is generated from this table. */
export const jsonOperations: Readonly<Record<JsonOperationName, Operation>> = toOperations(operations);
