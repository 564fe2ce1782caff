import { dataFailure } from "./data-reasons.ts";

/** One operation of a tool: what it gives, and which parameters it takes besides what it works on. */
export interface Operation {
  readonly about: string;
  readonly takes: readonly string[];
}

/** An operation, as its table writes it. */
export function operation(about: string, ...takes: readonly string[]): Operation {
  return { about, takes };
}

/** All operations in one text, for the schema of the tool. */
export function describeOperations(operations: Readonly<Record<string, Operation>>): string {
  const each = Object.entries(operations).map(([name, { about, takes }]) =>
    takes.length === 0 ? `${name}: ${about}` : `${name}: ${about} (${takes.join(", ")})`,
  );
  return `What to give. ${each.join("; ")}`;
}

/** What a tool is asked for, and what its schema says. */
export interface Asked {
  readonly operation: string;
  readonly takes: readonly string[];
  /** The parameters that are not for single operations. */
  readonly always: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
}

/** Refuses parameters that the operation does not take: whoever sends one expects something else of it. */
export function refuseUnused(args: object, { operation, takes, always, properties }: Asked): void {
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
