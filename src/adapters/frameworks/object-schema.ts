import type { JsonSchema } from "../../schema/index.ts";

/** A schema of arguments, which some frameworks let leave out that they are an object. */
export function objectSchema(schema: JsonSchema): JsonSchema {
  const says = ["type", "$ref", "allOf", "anyOf", "oneOf"].some((key) => Object.hasOwn(schema, key));
  return says ? schema : { ...schema, type: "object" };
}
