import type { Issue } from "../../base/index.ts";
import { type JsonSchema, type SyncSchema, fromJsonSchema, showValue } from "../../schema/index.ts";
import { suggest } from "../../text/index.ts";

/**
 * Creates a schema whose parameter `operation` is one of these names. An unknown name is answered with all of them,
 * because the caller needs to know what the tool can do.
 */
export function operationSchema<Input>(json: JsonSchema, names: readonly string[]): SyncSchema<Input, Input> {
  const schema = fromJsonSchema<Input, Input>(json);
  return {
    json: schema.json,
    validate: (value) => {
      const checked = schema.validate(value);
      if (checked.issues === undefined) return checked;
      // Only an object has members to report issues about.
      const { operation } = (value ?? {}) as { readonly operation?: unknown };
      return { issues: checked.issues.map((issue) => (isNoOperation(issue) ? explain(operation, names) : issue)) };
    },
  };
}

function isNoOperation({ path, code }: Issue): boolean {
  return code === "enum" && path.length === 1 && path[0] === "operation";
}

function explain(operation: unknown, names: readonly string[]): Issue {
  const suggestion = typeof operation === "string" ? suggestOperation(operation, names) : undefined;
  const hint = suggestion === undefined ? "" : `; did you mean "${suggestion}"?`;
  const message = `operation must be one of ${names.join(", ")}; got ${showValue(operation)}${hint}`;
  return { path: ["operation"], code: "enum", message, ...(suggestion !== undefined && { suggestion }) };
}

/** Suggests the name that was misspelled or shortened, else a longer form such as `uppercase`, `word_count`. */
function suggestOperation(operation: string, names: readonly string[]): string | undefined {
  const written = operation.slice(0, 64).toLowerCase();
  return suggest(operation, names) ?? names.find((name) => written.includes(name));
}
