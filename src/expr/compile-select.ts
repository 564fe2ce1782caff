import { ExpressionError } from "./expression-error.ts";
import { limits } from "./limits.ts";
import { missing } from "./missing.ts";
import { compilePlainSelect } from "./plain-select.ts";
import { compileQuery, parseSelect } from "./select-query.ts";

/** A compiled JSONPath. */
export interface Select {
  readonly path: string;
  /**
   * True if it can match at most one node: {@link select} returns its value, or `missing`. Otherwise it returns a list.
   */
  readonly singular: boolean;
  /** Selects the value at the path in a JSON document; throws an `ExpressionError` if that takes too much work. */
  readonly select: (document: unknown) => unknown;
}

/**
 * Compiles a JSONPath (RFC 9535). Throws an `ExpressionError`: `select_syntax` if it is invalid, `select_refused` if
 * it is larger than the limits allow.
 *
 * @example
 * ```ts
 * compileSelect("$.results[*].url").select({ results: [{ url: "a" }, { url: "b" }] }); // ["a", "b"]
 * ```
 */
export function compileSelect(path: string): Select {
  if (path.length > limits.selectCharacters) {
    const message = `a JSONPath may have at most ${limits.selectCharacters} characters, this one has ${path.length}`;
    throw new ExpressionError("select_refused", message, { at: 0, end: path.length });
  }
  const { singular, nodes } = compilePlainSelect(path) ?? compileQuery(parseSelect(path), path);
  return {
    path,
    singular,
    select: (document) => {
      const found = nodes(document);
      if (!singular) return found;
      const [only] = found;
      return only === undefined ? missing : only;
    },
  };
}
