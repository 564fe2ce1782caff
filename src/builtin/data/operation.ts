import { dataFailure } from "./data-reasons.ts";

/** One operation of a tool: its result, and its parameters besides the data. */
export interface Operation {
  readonly about: string;
  readonly takes: readonly string[];
}

/** Creates an operation for the table. */
export function operation(about: string, ...takes: readonly string[]): Operation {
  return { about, takes };
}

/** Describes all operations in one text, for the schema of the tool. */
export function describeOperations(operations: Readonly<Record<string, Operation>>): string {
  const each = Object.entries(operations).map(([name, { about, takes }]) =>
    takes.length === 0 ? `${name}: ${about}` : `${name}: ${about} (${takes.join(", ")})`,
  );
  return `The result to return. ${each.join("; ")}`;
}

/** A call of an operation, and the parameters of the schema. */
export interface OperationCall {
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
