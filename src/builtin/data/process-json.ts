import { needed } from "./data-reasons.ts";
import type { MergeLists } from "./json/change-value.ts";
import type { JsonOperationName } from "./json/json-operations.ts";
import { checkResult, jsonRuns, unread } from "./json/json-runs.ts";
import { readData } from "./json/read-data.ts";
import type { WrittenPath } from "./json/value-path.ts";

/** What `json_process` takes: an operation, the data, and what the operation needs besides. */
export interface JsonProcessInput {
  readonly operation: JsonOperationName;
  /** JSON text, or a value. */
  readonly data?: unknown;
  readonly path?: WrittenPath;
  readonly default?: unknown;
  readonly value?: unknown;
  readonly keys?: readonly WrittenPath[];
  readonly other?: unknown;
  readonly lists?: MergeLists;
  readonly patch?: unknown;
  readonly delimiter?: string;
  readonly header?: boolean;
  readonly infer?: boolean;
  readonly columns?: readonly string[];
  readonly escape_formulas?: boolean;
  readonly key?: WrittenPath;
  readonly order?: "asc" | "desc";
  readonly schema?: unknown;
  readonly indent?: number;
  readonly sort_keys?: boolean;
}

/** What an operation on JSON gives. */
export interface JsonResult {
  readonly result: unknown;
  /** Whether there was anything at the path. */
  readonly found?: boolean;
  /** An integer of the text has more digits than a number holds, and was rounded. */
  readonly inexact?: boolean;
}

/**
 * Does one operation on JSON or CSV data; everything is bounded in size, depth and work, and what was given never
 * changes.
 *
 * @example
 * ```ts
 * processJson({ operation: "query", data: '{"items":[{"n":1},{"n":2}]}', path: "$.items[*].n" }); // { result: [1, 2], found: true }
 * ```
 */
export function processJson(input: JsonProcessInput): JsonResult {
  const { operation } = input;
  const given = needed(input.data, "data", operation);
  const { value, inexact } = unread.has(operation) ? { value: given, inexact: false } : readData(given, "data");
  const done = jsonRuns[operation](value, input);
  checkResult(done.result);
  return inexact ? { ...done, inexact } : done;
}
