import { isFailureError, plainJsonSize, type Issue, formatPath, canonicalJson } from "../../../base/index.ts";
import { dataFailure, requireParameter } from "../data-reasons.ts";
import { dataLimits, OutputBudget } from "../data-limits.ts";
import type { JsonProcessInput, JsonResult } from "../process-json.ts";
import { compileSelect, isExpressionError, missing } from "../../../expr/index.ts";
import { type JsonSchema, type SyncSchema, fromJsonSchema, setOwn } from "../../../schema/index.ts";
import { quoteText } from "../../../text/index.ts";
import { type PathTree, isObject, mergeValues, omit, pathTree, pick, setAt, type Mutable } from "./change-value.ts";
import { diffValues } from "./diff-values.ts";
import type { JsonOperationName } from "./json-operations.ts";
import { parseCsv, writeCsv } from "./csv.ts";
import { patchValue } from "./patch-value.ts";
import { readData, isRounded } from "./read-data.ts";
import { getAt, parseValuePath, type ValuePath } from "./value-path.ts";

/** Does an operation. */
type JsonRun = (data: unknown, input: JsonProcessInput) => JsonResult;

/** Implementation of each operation. */
export const jsonRuns: Readonly<Record<JsonOperationName, JsonRun>> = {
  parse: (data) => ({ result: data }),
  query,
  get,
  keys,
  set: (data, { path, value }) => {
    const to = requireParameter(value, "value", "set");
    // Text stays text; only the size and shape of another value are checked.
    const read = typeof to === "string" ? to : readData(to, "value").value;
    return { result: setAt(data, parseValuePath(requireParameter(path, "path", "set"), "path"), read) };
  },
  pick: (data, input) => ({ result: pick(withKeys(data, "pick"), treeOf(input)) }),
  omit: (data, input) => ({ result: omit(withKeys(data, "omit"), treeOf(input)) }),
  merge,
  diff: (data, { other }) => ({ result: diffValues(data, readRequired(other, "other", "diff")) }),
  patch: (data, { patch }) => ({ result: patchValue(data, readRequired(patch, "patch", "patch")) }),
  flatten: (data) => ({ result: flattenValue(data) }),
  unflatten: (data) => ({ result: unflattenValue(data) }),
  csv_to_json: fromCsv,
  json_to_csv: toCsv,
  sort_by: (data, { key = "", order = "asc" }) => ({
    result: sortItems(requireList(data, "sort_by"), parseValuePath(key, "key"), order),
  }),
  group_by: (data, { key }) => {
    const path = parseValuePath(requireParameter(key, "key", "group_by"), "key");
    return { result: groupItems(requireList(data, "group_by"), path) };
  },
  unique: (data, { key = "" }) => ({ result: uniqueItems(requireList(data, "unique"), parseValuePath(key, "key")) }),
  validate,
  format: (data, { indent = 2, sort_keys: sortKeys = false }) => ({ result: formatJson(data, { indent, sortKeys }) }),
  minify: (data, { sort_keys: sortKeys = false }) => ({ result: formatJson(data, { indent: 0, sortKeys }) }),
};

/** Operations whose data is not parsed as JSON first. */
export const rawOperations: ReadonlySet<JsonOperationName> = new Set(["csv_to_json", "validate", "format", "minify"]);

function query(data: unknown, { path }: JsonProcessInput): JsonResult {
  const written = requireParameter(path, "path", "query");
  if (typeof written === "string") return queryValue(data, written);
  throw dataFailure("bad_parameter", "query needs `path` as a JSONPath text", { parameter: "path" });
}

function get(data: unknown, { path, default: otherwise = null }: JsonProcessInput): JsonResult {
  const found = getAt(data, parseValuePath(requireParameter(path, "path", "get"), "path"));
  return { result: found === undefined ? otherwise : found.value, found: found !== undefined };
}

function keys(data: unknown): JsonResult {
  if (!isObject(data)) throw dataFailure("wrong_type", "keys needs an object", { parameter: "data" });
  return { result: Object.keys(data) };
}

function withKeys(data: unknown, operation: string): unknown {
  if (typeof data === "object" && data !== null) return data;
  throw dataFailure("wrong_type", `${operation} needs an object, or a list of objects`, { parameter: "data" });
}

function treeOf({ keys, operation }: JsonProcessInput): PathTree {
  return pathTree(requireParameter(keys, "keys", operation).map((path) => parseValuePath(path, "keys")));
}

function merge(data: unknown, { other, lists }: JsonProcessInput): JsonResult {
  if (other !== undefined) return { result: mergeValues(data, readData(other, "other").value, lists) };
  if (!Array.isArray(data))
    throw dataFailure("missing_parameter", "merge needs `other`, or a list of objects as `data`", {
      parameter: "other",
    });
  return { result: data.reduce((merged: unknown, item: unknown) => mergeValues(merged, item, lists), {}) };
}

function readRequired(value: unknown, parameter: string, operation: JsonOperationName): unknown {
  return readData(requireParameter(value, parameter, operation), parameter).value;
}

/** The delimiter must be neither a quote nor a line end. */
function checkDelimiter(delimiter: string | undefined): void {
  if (delimiter === undefined || !/["\r\n]/.test(delimiter)) return;
  throw dataFailure("bad_parameter", "delimiter must not be a quote or a line end");
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

function validate(data: unknown, { schema }: JsonProcessInput): JsonResult {
  const json = schema === undefined ? {} : readData(schema, "schema").value;
  try {
    return { result: checkValue(readData(data, "data").value, json) };
  } catch (error) {
    // Text that is not JSON is a valid result here.
    if (typeof data !== "string" || !isFailureError(error) || error.reason !== "not_json") throw error;
    return { result: { valid: false, issues: [{ path: "", code: "not_json", message: error.message }] } };
  }
}

/** Refuses a result that is too large to return. */
export function checkResult(result: unknown): void {
  const size = plainJsonSize(result, dataLimits.out);
  if (size === Infinity) {
    throw dataFailure("too_large", `the result would be larger than ${dataLimits.out} characters; request less of it`);
  }
  if (size === -1) throw dataFailure("too_deep", "the result is nested too deep; request a part of it");
}

/** Returns the result of a JSONPath (RFC 9535): a list, or the value if the path can match only one location. */
function queryValue(value: unknown, path: string): { readonly result: unknown; readonly found: boolean } {
  try {
    const found = compileSelect(path).select(value);
    if (found === missing) return { result: null, found: false };
    return { result: found, found: !Array.isArray(found) || found.length > 0 };
  } catch (error) {
    if (!isExpressionError(error)) throw error;
    const costly = error.fault !== "select_syntax" && error.fault !== "select_refused";
    const message = `${error.message}${error.hint === undefined ? "" : `; ${error.hint}`}`;
    throw dataFailure(costly ? "too_costly" : "bad_path", message, { parameter: "path", cause: error });
  }
}

/** Options of {@link formatJson}. */
interface FormatOptions {
  /** Spaces for each level; 0 writes everything in one line. */
  readonly indent: number;
  readonly sortKeys: boolean;
}

/** Methods of newer engines that the compiler's library does not declare. */
const raw = JSON as typeof JSON & {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

/** Formats JSON text; integers of any length keep their digits. */
function formatJson(input: unknown, { indent, sortKeys }: FormatOptions): string {
  const { value, inexact } = readData(input, "data");
  const exact = inexact && typeof input === "string" ? preserveDigits(input) : value;
  return JSON.stringify(exact, sortKeys ? sorted : undefined, indent);
}

function preserveDigits(text: string): unknown {
  return JSON.parse(text.replace(/^\ufeff/, ""), (_key, item: unknown, written?: { readonly source?: string }) =>
    isRounded(item, written?.source ?? "") ? raw.rawJSON(written?.source ?? "") : item,
  );
}

function sorted(_key: string, item: unknown): unknown {
  if (!isObject(item) || raw.isRawJSON(item)) return item;
  return Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Result of a validation, and the issues. */
interface ValueCheck {
  readonly valid: boolean;
  readonly issues: readonly { readonly path: string; readonly code: string; readonly message: string }[];
}

/** Compiling a schema takes long for its size. */
const maxSchemaSize = 64 * 1024;
const maxIssues = 100;

/** Validates a value against a JSON Schema (2020-12, or draft-07 if declared). */
function checkValue(value: unknown, schema: unknown): ValueCheck {
  const checked = schemaFrom(schema).validate(value);
  const issues: readonly Issue[] = checked.issues ?? [];
  const unusable = issues.find(({ code }) => code === "schema_invalid");
  if (unusable !== undefined) throw badSchema(unusable.message);
  const costly = issues.find(({ code }) => code === "too_costly");
  // A validation that was not completed is neither valid nor invalid.
  if (costly !== undefined) throw dataFailure("too_costly", costly.message, { parameter: "data" });
  return {
    valid: issues.length === 0,
    issues: issues.slice(0, maxIssues).map(({ path, code, message }) => ({ path: formatPath(path), code, message })),
  };
}

function schemaFrom(schema: unknown): SyncSchema {
  if (!isObject(schema)) throw badSchema("`schema` must be a JSON Schema, an object");
  if (JSON.stringify(schema).length > maxSchemaSize) {
    throw badSchema(`\`schema\` is larger than ${maxSchemaSize / 1024} KiB`);
  }
  try {
    return fromJsonSchema(schema satisfies JsonSchema);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    throw badSchema(error.message, error);
  }
}

function badSchema(message: string, cause?: unknown): Error {
  return dataFailure("bad_schema", message, { parameter: "schema", cause });
}

/** Returns every innermost value by its path: `{ "a.b[0]": 1 }`. Empty lists and objects count as values. */
function flattenValue(value: unknown): Mutable {
  const flat: Mutable = {};
  const budget = new OutputBudget();
  const walk = (item: unknown, path: ValuePath): void => {
    const inner = typeof item === "object" && item !== null ? entriesOf(item) : [];
    for (const [key, one] of inner) walk(one, [...path, key]);
    if (inner.length > 0) return;
    const name = formatPath(path);
    // A long key above many values is repeated in each of their paths.
    budget.spend(name.length + 10);
    setOwn(flat, name, item);
  };
  walk(value, []);
  return flat;
}

function entriesOf(item: object): [string | number, unknown][] {
  if (Array.isArray(item)) return item.map((one: unknown, at) => [at, one]);
  return Object.entries(item);
}

/** A part of the value under construction; lists and objects of the input are leaves. */
type Part = Map<string | number, Part> | { readonly leaf: unknown };

/** The inverse of {@link flattenValue}. */
function unflattenValue(flat: unknown): unknown {
  if (!isObject(flat))
    throw dataFailure("wrong_type", "unflatten needs an object with paths as keys", { parameter: "data" });
  const root: Part = new Map();
  for (const [name, leaf] of Object.entries(flat)) {
    const path = parseValuePath(name, "data");
    if (path.length === 0 && Object.keys(flat).length === 1) return leaf;
    setLeaf(root, path, leaf);
  }
  return build(root, "");
}

function setLeaf(root: Map<string | number, Part>, path: ValuePath, leaf: unknown): void {
  let node = root;
  for (const part of path.slice(0, -1)) {
    const next = node.get(part) ?? new Map<string | number, Part>();
    if (!(next instanceof Map)) throw conflict(path);
    node.set(part, next);
    node = next;
  }
  const last = path.at(-1);
  if (last === undefined || node.has(last)) throw conflict(path);
  node.set(last, { leaf });
}

function build(part: Part, name: string): unknown {
  if (!(part instanceof Map)) return part.leaf;
  const numbers = [...part.keys()].filter((key) => typeof key === "number");
  if (numbers.length === 0) {
    const object: Mutable = {};
    for (const [key, inner] of part) setOwn(object, String(key), build(inner, String(key)));
    return object;
  }
  if (numbers.length !== part.size || numbers.some((index) => index < 0 || index >= part.size)) {
    const message = `the items of ${name === "" ? "the list" : quoteText(name)} are not [0], [1], … without a gap`;
    throw dataFailure("bad_path", message, { parameter: "data" });
  }
  return Array.from({ length: part.size }, (_, index) => build(part.get(index) ?? { leaf: null }, `${name}[${index}]`));
}

function conflict(path: ValuePath): Error {
  const message = `${quoteText(formatPath(path))} is inside of another value, or there twice`;
  return dataFailure("bad_path", message, { parameter: "data" });
}

/** The items of a list that have the same value at a path. */
interface Group {
  /** The value that they share; null if they have none. */
  readonly key: unknown;
  readonly count: number;
  readonly items: readonly unknown[];
}

/** Returns the data as a list, or throws a failure that explains what is needed. */
function requireList(data: unknown, operation: string): readonly unknown[] {
  if (Array.isArray(data)) return data;
  throw dataFailure(
    "wrong_type",
    `${operation} needs a list as \`data\`; take it out of the data with get or query first`,
    {
      parameter: "data",
    },
  );
}

/** Sorts items by their values at a path: numbers, then texts, then others; items without one come last. */
function sortItems(list: readonly unknown[], key: ValuePath, order: "asc" | "desc"): unknown[] {
  const sign = order === "desc" ? -1 : 1;
  const keyed = list.map((item) => ({ item, key: getAt(item, key)?.value }));
  return keyed.toSorted((a, b) => missingLast(a.key, b.key) || sign * compare(a.key, b.key)).map(({ item }) => item);
}

function missingLast(a: unknown, b: unknown): number {
  return Number(a == null) - Number(b == null);
}

const ranks = ["number", "string", "boolean"];

function compare(a: unknown, b: unknown): number {
  if (typeof a !== typeof b) return rankOf(a) - rankOf(b);
  if (typeof a === "object") return 0;
  // Both have the same type, and neither is a list or an object.
  return (a as number) < (b as number) ? -1 : Number((a as number) > (b as number));
}

function rankOf(value: unknown): number {
  const rank = ranks.indexOf(typeof value);
  return rank === -1 ? ranks.length : rank;
}

/** Groups items by their values at a path, in the order in which those first occur. */
function groupItems(list: readonly unknown[], key: ValuePath): Group[] {
  const groups = new Map<string, { readonly key: unknown; readonly items: unknown[] }>();
  for (const item of list) {
    const value = getAt(item, key)?.value ?? null;
    const name = canonicalJson(value);
    const group = groups.get(name) ?? { key: value, items: [] };
    group.items.push(item);
    groups.set(name, group);
  }
  return [...groups.values()].map(({ key, items }) => ({ key, count: items.length, items }));
}

/** Returns the first of all items that are equal, or equal at a path. */
function uniqueItems(list: readonly unknown[], key: ValuePath): unknown[] {
  return groupItems(list, key).map(({ items }) => items[0]);
}
