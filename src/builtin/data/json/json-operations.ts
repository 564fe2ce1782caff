import { type Operation, operation } from "../operation.ts";

/** The name of one operation of `json_process`. */
export type JsonOperationName =
  | "parse"
  | "query"
  | "get"
  | "keys"
  | "set"
  | "pick"
  | "omit"
  | "merge"
  | "diff"
  | "patch"
  | "flatten"
  | "unflatten"
  | "csv_to_json"
  | "json_to_csv"
  | "sort_by"
  | "group_by"
  | "unique"
  | "validate"
  | "format"
  | "minify";

/** Every operation of `json_process`. Its schema is generated from this table. */
export const jsonOperations: Readonly<Record<JsonOperationName, Operation>> = {
  parse: operation("the value of a JSON text"),
  query: operation("what a JSONPath such as $.items[*].name matches", "path"),
  get: operation("the value at one path", "path", "default"),
  keys: operation("list of an object's keys"),
  set: operation("with another value at one path", "path", "value"),
  pick: operation("only these keys, of each object of a list too", "keys"),
  omit: operation("without these keys", "keys"),
  merge: operation("with `other` merged in deeply, or the objects of a list merged", "other", "lists"),
  diff: operation("JSON Patch that converts it to `other`", "other"),
  patch: operation("with a JSON Patch applied", "patch"),
  flatten: operation('{ "a.b[0]": … }, one key for each inner value'),
  unflatten: operation("the opposite of flatten"),
  csv_to_json: operation("list of objects from CSV text", "delimiter", "header", "infer"),
  json_to_csv: operation("CSV text of a list", "columns", "delimiter", "header", "escape_formulas"),
  sort_by: operation("list in order", "key", "order"),
  group_by: operation("list of { key, count, items }", "key"),
  unique: operation("list without repetitions", "key"),
  validate: operation("{ valid, issues } by a JSON Schema; without one, whether the text is JSON", "schema"),
  format: operation("JSON text with line breaks", "indent", "sort_keys"),
  minify: operation("JSON text without blanks", "sort_keys"),
};
