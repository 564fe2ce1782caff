import { isFailureError, plainJsonSize } from "../../../base/index.ts";
import { dataFailure, needed } from "../data-reasons.ts";
import { dataLimits } from "../data-limits.ts";
import type { JsonProcessInput, JsonResult } from "../process-json.ts";
import { type PathTree, isObject, mergeValues, omit, pathTree, pick, setAt } from "./change-value.ts";
import { checkValue } from "./check-value.ts";
import { diffValues } from "./diff-values.ts";
import { flattenValue, unflattenValue } from "./flatten-value.ts";
import { formatJson } from "./format-json.ts";
import type { JsonOperationName } from "./json-operations.ts";
import { asList, groupItems, sortItems, uniqueItems } from "./order-items.ts";
import { parseCsv } from "./parse-csv.ts";
import { patchValue } from "./patch-value.ts";
import { queryValue } from "./query-value.ts";
import { readData } from "./read-data.ts";
import { getAt, parsePath } from "./value-path.ts";
import { writeCsv } from "./write-csv.ts";

/** Does an operation. */
export type JsonRun = (data: unknown, input: JsonProcessInput) => JsonResult;

/** What each operation does. */
export const jsonRuns: Readonly<Record<JsonOperationName, JsonRun>> = {
  parse: (data) => ({ result: data }),
  query,
  get,
  keys,
  set,
  pick: pickKeys,
  omit: omitKeys,
  merge,
  diff,
  patch,
  flatten: (data) => ({ result: flattenValue(data) }),
  unflatten: (data) => ({ result: unflattenValue(data) }),
  csv_to_json: fromCsv,
  json_to_csv: toCsv,
  sort_by: sortBy,
  group_by: groupBy,
  unique,
  validate,
  format,
  minify,
};

/** Operations whose data is not read as JSON first. */
export const unread: ReadonlySet<JsonOperationName> = new Set(["csv_to_json", "validate", "format", "minify"]);

function query(data: unknown, { path }: JsonProcessInput): JsonResult {
  const written = needed(path, "path", "query");
  if (typeof written === "string") return queryValue(data, written);
  throw dataFailure("bad_parameter", "query needs `path` as a JSONPath text", { parameter: "path" });
}

function get(data: unknown, { path, default: otherwise = null }: JsonProcessInput): JsonResult {
  const found = getAt(data, parsePath(needed(path, "path", "get"), "path"));
  return { result: found === undefined ? otherwise : found.value, found: found !== undefined };
}

function keys(data: unknown): JsonResult {
  if (!isObject(data)) throw dataFailure("wrong_type", "keys needs an object", { parameter: "data" });
  return { result: Object.keys(data) };
}

function set(data: unknown, { path, value }: JsonProcessInput): JsonResult {
  const to = readValue(needed(value, "value", "set"));
  return { result: setAt(data, parsePath(needed(path, "path", "set"), "path"), to) };
}

/** A value that is text stays text; only its size and shape are checked. */
function readValue(value: unknown): unknown {
  return typeof value === "string" ? value : readData(value, "value").value;
}

function pickKeys(data: unknown, input: JsonProcessInput): JsonResult {
  return { result: pick(withKeys(data, "pick"), treeOf(input)) };
}

function omitKeys(data: unknown, input: JsonProcessInput): JsonResult {
  return { result: omit(withKeys(data, "omit"), treeOf(input)) };
}

function withKeys(data: unknown, operation: string): unknown {
  if (typeof data === "object" && data !== null) return data;
  throw dataFailure("wrong_type", `${operation} needs an object, or a list of objects`, { parameter: "data" });
}

function treeOf({ keys, operation }: JsonProcessInput): PathTree {
  return pathTree(needed(keys, "keys", operation).map((path) => parsePath(path, "keys")));
}

function merge(data: unknown, { other, lists }: JsonProcessInput): JsonResult {
  if (other !== undefined) return { result: mergeValues(data, readData(other, "other").value, lists) };
  if (!Array.isArray(data))
    throw dataFailure("missing_parameter", "merge needs `other`, or a list of objects as `data`", {
      parameter: "other",
    });
  return { result: data.reduce((merged: unknown, item: unknown) => mergeValues(merged, item, lists), {}) };
}

function diff(data: unknown, { other }: JsonProcessInput): JsonResult {
  return { result: diffValues(data, readData(needed(other, "other", "diff"), "other").value) };
}

function patch(data: unknown, { patch }: JsonProcessInput): JsonResult {
  return { result: patchValue(data, readData(needed(patch, "patch", "patch"), "patch").value) };
}

/** What ends a cell cannot be what quotes it, or ends a row. */
function checkDelimiter(delimiter: string | undefined): void {
  if (delimiter === undefined || !/["\r\n]/.test(delimiter)) return;
  throw dataFailure("bad_parameter", "delimiter may be no quote and no line end");
}

function fromCsv(data: unknown, { delimiter, header, infer }: JsonProcessInput): JsonResult {
  checkDelimiter(delimiter);
  if (typeof data === "string") return { result: parseCsv(data, { delimiter, header, infer }) };
  throw dataFailure("wrong_type", "csv_to_json needs CSV text as `data`", { parameter: "data" });
}

function toCsv(data: unknown, input: JsonProcessInput): JsonResult {
  const { delimiter, columns, header, escape_formulas: escapeFormulas } = input;
  checkDelimiter(delimiter);
  return { result: writeCsv(data, { delimiter, columns, header, escapeFormulas }) };
}

function sortBy(data: unknown, { key = "", order = "asc" }: JsonProcessInput): JsonResult {
  return { result: sortItems(asList(data, "sort_by"), parsePath(key, "key"), order) };
}

function groupBy(data: unknown, { key }: JsonProcessInput): JsonResult {
  return { result: groupItems(asList(data, "group_by"), parsePath(needed(key, "key", "group_by"), "key")) };
}

function unique(data: unknown, { key = "" }: JsonProcessInput): JsonResult {
  return { result: uniqueItems(asList(data, "unique"), parsePath(key, "key")) };
}

function validate(data: unknown, { schema }: JsonProcessInput): JsonResult {
  const json = schema === undefined ? {} : readData(schema, "schema").value;
  try {
    return { result: checkValue(readData(data, "data").value, json) };
  } catch (error) {
    // That a text is not JSON is an answer here.
    if (typeof data !== "string" || !isFailureError(error) || error.reason !== "not_json") throw error;
    return { result: { valid: false, issues: [{ path: "", code: "not_json", message: error.message }] } };
  }
}

function format(data: unknown, { indent = 2, sort_keys: sortKeys = false }: JsonProcessInput): JsonResult {
  return { result: formatJson(data, { indent, sortKeys }) };
}

function minify(data: unknown, { sort_keys: sortKeys = false }: JsonProcessInput): JsonResult {
  return { result: formatJson(data, { indent: 0, sortKeys }) };
}

/** Refuses a result that nobody could take. */
export function checkResult(result: unknown): void {
  const size = plainJsonSize(result, dataLimits.out);
  if (size === Infinity) {
    throw dataFailure("too_large", `the result would be larger than ${dataLimits.out} characters; ask for less of it`);
  }
  if (size === -1) throw dataFailure("too_deep", "the result nests too deep; ask for a part of it");
}
