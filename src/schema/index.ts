export type { JsonSchema, Schema, Validation } from "./schema.ts";
