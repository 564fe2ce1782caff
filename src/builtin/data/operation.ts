import { dataFailure } from "./data-reasons.ts";
import type { Issue } from "../../base/index.ts";
import { type JsonSchema, type SyncSchema, fromJsonSchema, showValue } from "../../schema/index.ts";
import { suggest } from "../../text/index.ts";

/** One operation of a tool: its result, and its parameters besides the data. */
export interface Operation {
  readonly about: string;
  readonly takes: readonly string[];
}

/** The operations of a table: what each returns, and its parameters. */
export function toOperations<Name extends string>(
  table: Readonly<Record<Name, readonly [about: string, ...takes: string[]]>>,
): Readonly<Record<Name, Operation>> {
  const entries = Object.entries<readonly [string, ...string[]]>(table).map(([name, [about, ...takes]]) => [
    name,
    { about, takes },
  ]);
  // Object.fromEntries forgets the names of the keys.
  return Object.fromEntries(entries) as Record<Name, Operation>;
}

/** Describes all operations in one text, for the schema of the tool. */
export function describeOperations(operations: Readonly<Record<string, Operation>>): string {
  const each = Object.entries(operations).map(([name, { about, takes }]) =>
    takes.length === 0 ? `${name}: ${about}` : `${name}: ${about} (${takes.join(", ")})`,
  );
  return `The result to return. ${each.join("; ")}`;
}

/** A call of an operation, and the parameters of the schema. */
interface OperationCall {
  readonly operation: string;
  readonly takes: readonly string[];
  /** The parameters that every operation takes. */
  readonly always: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
}

/** Refuses parameters that the operation does not take: a caller that sends one expects another behavior. */
export function refuseUnused(args: object, { operation, takes, always, properties }: OperationCall): void {
  const taken = [...always, ...takes];
  for (const [parameter, value] of Object.entries(args)) {
    const schema: Readonly<Record<string, unknown>> = { ...properties[parameter] };
    // Defaults are filled in for every operation.
    if (value === undefined || parameter === "operation" || taken.includes(parameter) || value === schema["default"])
      continue;
    const message = `the operation ${operation} takes no \`${parameter}\`; it takes ${taken.join(", ")}`;
    throw dataFailure("bad_parameter", message, { parameter });
  }
}

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
