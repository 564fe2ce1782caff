import type { Issue } from "../base/index.ts";
import { type Schema, type Validation, unknownKeys } from "../schema/index.ts";
import type { AnyTool } from "../tool/index.ts";

/** What a person typed for one call. */
export interface TypedCall {
  /** Parameters that were typed by name. */
  readonly keys: ReadonlySet<string>;
  /** Time for one attempt. */
  readonly timeoutMs: number | undefined;
}

/**
 * A tool as a person calls it: a parameter that was typed and that the tool does not know is a mistake, also where
 * the tool would ignore it; the time a person gives counts more than the tool's own.
 */
export function typedTool(tool: AnyTool, { keys, timeoutMs }: TypedCall): AnyTool {
  const input = keys.size === 0 ? tool.input : strictInput(tool.input, keys);
  return Object.freeze({ ...tool, input, ...(timeoutMs !== undefined && { timeoutMs }) });
}

function strictInput(input: Schema, keys: ReadonlySet<string>): Schema {
  return {
    json: input.json,
    validate(value) {
      const unknown = unknownKeys(input.json, value).filter(
        ({ path }) => path.length === 1 && keys.has(String(path[0])),
      );
      const result = input.validate(value);
      if (unknown.length === 0) return result;
      return result instanceof Promise ? result.then((settled) => joined(unknown, settled)) : joined(unknown, result);
    },
  };
}

/** The unknown parameters first: they often explain a missing one. */
function joined(unknown: readonly Issue[], { issues = [] }: Validation<unknown>): Validation<unknown> {
  const told = new Set(unknown.map(({ path }) => JSON.stringify(path)));
  return { issues: [...unknown, ...issues.filter(({ path }) => !told.has(JSON.stringify(path)))] };
}
