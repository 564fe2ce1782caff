import { isRecord } from "../../../schema/index.ts";

/** A JSON object from an untrusted source. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value if it is an object, otherwise an empty object. */
export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** The objects of a list. An item that is not an object counts as an empty one, so that indexes stay the same. */
export function recordsOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

/** The value if it is a string, otherwise an empty string. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
