import { compileSelect, isExpressionError, missing } from "../../../expr/index.ts";
import { dataFailure } from "../data-reasons.ts";

/** What a JSONPath (RFC 9535) finds: a list, or for a path to one place its value. */
export function queryValue(value: unknown, path: string): { readonly result: unknown; readonly found: boolean } {
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
