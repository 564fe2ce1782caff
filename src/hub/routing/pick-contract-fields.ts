import { type JsonSchema, isRecord } from "../../schema/index.ts";

/**
 * Selects the fields of an output that a contract names: the others are specific to the tool, and another tool would
 * not return them.
 */
export function pickContractFields(output: unknown, { properties, additionalProperties }: JsonSchema): unknown {
  const isOpen = !isRecord(properties) || additionalProperties === true || isRecord(additionalProperties);
  if (isOpen || !isRecord(output)) return output;
  return Object.fromEntries(Object.entries(output).filter(([key]) => Object.hasOwn(properties, key)));
}
