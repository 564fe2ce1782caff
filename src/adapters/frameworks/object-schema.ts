import type { JsonSchema } from "../../schema/index.ts";

/** A schema of arguments; adds `type: "object"`, which some frameworks allow to omit. */
export function objectSchema(schema: JsonSchema): JsonSchema {
  const says = ["type", "$ref", "allOf", "anyOf", "oneOf"].some((key) => Object.hasOwn(schema, key));
  return says ? schema : { ...schema, type: "object" };
}
