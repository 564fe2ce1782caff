import type { JsonSchema } from "../../schema/index.ts";

/** A map without unknown keys. */
export interface ClosedSchema extends JsonSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties: false;
}
