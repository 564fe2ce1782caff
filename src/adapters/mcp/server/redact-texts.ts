import { type JsonSchema, isRecord } from "../../../schema/index.ts";

/** A schema whose texts are redacted. Its names stay: a field called `password` asks for one and holds none. */
export function redactTexts(schema: JsonSchema, redact: (text: string) => string): JsonSchema {
  const inside = (value: unknown): unknown => {
    if (typeof value === "string") return redact(value);
    if (Array.isArray(value)) return value.map(inside);
    return isRecord(value) ? redactTexts(value, redact) : value;
  };
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, inside(value)]));
}
