import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { FailureError } from "../../base/index.ts";
import { type JsonSchema, fromStandard, isRecord, isStandardSchema } from "../../schema/index.ts";

/** The JSON Schema of a schema as LangChain's tools have it: Zod of any version, another Standard Schema, or JSON Schema. */
export function jsonSchemaOf(schema: unknown): JsonSchema {
  if (isStandardSchema(schema) && !isOldZod(schema)) return fromStandard(schema).json;
  // What it takes is what the types of a tool's schema allow.
  const json: unknown = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0]);
  if (isRecord(json)) return json;
  throw new FailureError("the tool's schema is neither Zod nor JSON Schema", { code: "tool_invalid" });
}

/** Zod 3 cannot describe itself; LangChain can describe it. */
function isOldZod(schema: object): boolean {
  return "_def" in schema && !("_zod" in schema);
}
