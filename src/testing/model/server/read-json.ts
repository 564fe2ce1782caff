import { isRecord } from "../../../schema/index.ts";

/** What JSON from outside can hold under a name. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value where it is an object, an empty one where it is not. */
export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** The objects of a list; what is no object in it counts as an empty one, so that places stay as they are. */
export function recordsOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

/** The value where it is a text, an empty one where it is not. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** JSON as a value; undefined where the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
