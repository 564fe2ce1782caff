import { requireParameter } from "./data-reasons.ts";
import type { MergeLists } from "./json/change-value.ts";
import type { JsonOperationName } from "./json/json-operations.ts";
import { checkResult, jsonRuns, rawOperations } from "./json/json-runs.ts";
import { readData } from "./json/read-data.ts";
import type { WrittenPath } from "./json/value-path.ts";

/** Input of `json_process`: an operation, the data, and the parameters of the operation. */
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

/** Result of an operation on JSON. */
export interface JsonResult {
  readonly result: unknown;
  /** True if there was something at the path. */
  readonly found?: boolean;
  /** True if an integer of the text has more digits than a number can represent, and was rounded. */
  readonly inexact?: boolean;
}

/**
 * Runs one operation on JSON or CSV data; everything is bounded in size, depth and work, and the input is never modified.
 *
 * @example
 * ```ts
 * processJson({ operation: "query", data: '{"items":[{"n":1},{"n":2}]}', path: "$.items[*].n" });
 * // { result: [1, 2], found: true }
 * ```
 */
export function processJson(input: JsonProcessInput): JsonResult {
  const { operation } = input;
  const provided = requireParameter(input.data, "data", operation);
  const { value, inexact } = rawOperations.has(operation)
    ? { value: provided, inexact: false }
    : readData(provided, "data");
  const done = jsonRuns[operation](value, input);
  checkResult(done.result);
  return inexact ? { ...done, inexact } : done;
}
