import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { FailureError } from "../../base/index.ts";
import { type JsonSchema, fromStandard, isRecord, isStandardSchema } from "../../schema/index.ts";

/**
 * Converts a schema of a LangChain tool to JSON Schema: Zod of any version, another Standard Schema, or JSON Schema.
 */
export function jsonSchemaOf(schema: unknown): JsonSchema {
  if (isStandardSchema(schema) && !isOldZod(schema)) return fromStandard(schema).json;
  // The types of a tool's schema are exactly what this function accepts.
  const json: unknown = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0]);
  if (isRecord(json)) return json;
  throw new FailureError("the tool's schema is neither Zod nor JSON Schema", { code: "tool_invalid" });
}

/** Zod 3 cannot describe itself; LangChain can describe it. */
function isOldZod(schema: object): boolean {
  return "_def" in schema && !("_zod" in schema);
}
