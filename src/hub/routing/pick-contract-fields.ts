import { type JsonSchema, isRecord } from "../../schema/index.ts";

/** What a contract names of an output: the rest is the tool's own, and another tool would not give it. */
export function namedOnly(output: unknown, { properties, additionalProperties }: JsonSchema): unknown {
  const isOpen = !isRecord(properties) || additionalProperties === true || isRecord(additionalProperties);
  if (isOpen || !isRecord(output)) return output;
  return Object.fromEntries(Object.entries(output).filter(([key]) => Object.hasOwn(properties, key)));
}
